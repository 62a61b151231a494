// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.plugin.CommandAlias;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/// Builds the command line of a [CommandAlias]: the options of the command that it names, and `--dataset`.
final class AliasLine {
    @Option(
            names = {"-d", "--dataset"},
            paramLabel = "DIR",
            description = "The folder of the dataset, given as an option instead of PATH.")
    Path dataset;

    private final CommandAlias alias;

    private AliasLine(CommandAlias alias) {
        this.alias = alias;
    }

    static CommandLine of(CommandAlias alias, CommandLine.IFactory factory) throws Exception {
        Map<String, Class<?>> commands = new LinkedHashMap<>();
        new PenstockCommand().list(commands);
        DatasetCommand command = (DatasetCommand) factory.create(commands.get(alias.command()));
        command.alias = new AliasLine(alias);
        CommandLine line = new CommandLine(command, factory);
        CommandSpec spec = line.getCommandSpec();
        CommandLine.Command texts = alias.getClass().getAnnotation(CommandLine.Command.class);
        spec.name(texts.name());
        spec.usageMessage()
                .header(texts.header())
                .description(texts.description())
                .footer(texts.footer());
        makePathOptional(spec);
        spec.addMixin("alias", CommandSpec.forAnnotatedObject(command.alias, factory));
        return line;
    }

    private static void makePathOptional(CommandSpec spec) {
        PositionalParamSpec path = spec.positionalParameters().stream()
                .filter(PositionalParamSpec::required)
                .findFirst()
                .orElseThrow();
        spec.remove(path);
        spec.addPositional(PositionalParamSpec.builder()
                .index("0")
                .arity("0..1")
                .paramLabel(path.paramLabel())
                .description(path.description())
                .type(Location.class)
                .converters(new LocationText())
                .getter(path.getter())
                .setter(path.setter())
                .build());
    }

    /// The dataset, which is given as a parameter or with `--dataset`.
    ///
    /// @throws CommandLine.ParameterException when there is none, or more than one
    Location require(CommandSpec spec, Location path) throws IOException {
        if ((path == null) == (dataset == null)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "give exactly one dataset, as DIR or --dataset DIR");
        }
        Path given = path == null ? dataset : path.path();
        alias.require(given);
        return Location.of(given);
    }
}
