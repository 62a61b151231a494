// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.LocationText;
import dev.penstock.tree.KeyText;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about an existing tree.
abstract class TreefileCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "1",
            paramLabel = "FILE",
            converter = LocationText.class,
            description = "The path or address of the tree.")
    Location path;

    @Option(
            names = "--lenient",
            description = "Accept trees that no known writer produces but the original reader accepts.")
    boolean isLenient;

    @Mixin
    AccessOption io;

    TreeReader open() throws IOException {
        TreeReader.Options options =
                TreeReader.Options.DEFAULT.withReading(io.options().reading());
        return TreeReader.open(path, options.withStrict(!isLenient));
    }

    /// @throws CommandLine.ParameterException when the text is not a valid key
    byte[] key(String text) {
        try {
            return KeyText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
        }
    }
}
