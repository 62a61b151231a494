// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The help of a command, as `--help` prints it.
@CommandLine.Command(
        name = "help",
        header = "Show the help of a command.",
        footer = {"", "Example:", "  penstock help pack build"})
final class HelpCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command; without it, the list of commands.")
    List<String> words = List.of();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;

    @Override
    public void run() {
        CommandLine wanted = spec.parent().commandLine();
        for (String word : words) {
            CommandLine below = wanted.getSubcommands().get(word);
            if (below == null) {
                String known = String.join(", ", wanted.getSubcommands().keySet());
                throw new CommandLine.ParameterException(
                        spec.commandLine(),
                        "no command " + word + " in " + wanted.getCommandSpec().qualifiedName()
                                + (known.isEmpty() ? "" : "; there are: " + known));
            }
            wanted = below;
        }
        wanted.usage(spec.commandLine().getOut());
    }
}
