// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The commands that only packs have.
@CommandLine.Command(
        name = "pack",
        aliases = "a2pack",
        header = "One immutable file of many byte records (A2PACK).",
        subcommands = {
            PackBuildCommand.class,
            PackValidateCommand.class,
            PackStatsCommand.class,
            PackExtractCommand.class,
            PackInspectCommand.class
        },
        footer = {"", "Example:", "  penstock pack build --input runs --output runs.a2pack"})
final class PackCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do with the pack");
    }
}
