// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.file.Location;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about an existing pack.
public abstract class PackfileCommand extends Command {
    @Spec
    public CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    public Packfile packfile;

    /// The file may be given as a parameter, or by the option of the original program.
    public static final class Packfile {
        @Parameters(
                arity = "1",
                paramLabel = "FILE",
                converter = LocationText.class,
                description = "The path or address of the pack.")
        Location path;

        @Option(
                names = "--packfile",
                paramLabel = "FILE",
                converter = LocationText.class,
                description = "The path of the pack, given as an option.")
        Location option;
    }

    @Mixin
    public AccessOption io;

    public Location path() {
        return packfile.path == null ? packfile.option : packfile.path;
    }

    /// Whether the command was called with the option of the original program, and prints what that prints.
    public boolean isAsOriginal() {
        return packfile.option != null;
    }

    public PackReader open() throws IOException {
        return PackReader.open(path(), io.options().pack());
    }
}
