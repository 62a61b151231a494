// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command above all others.
@CommandLine.Command(
        name = "penstock",
        header = "Training records from disk to the accelerator.",
        description = "Packs, checks and reads datasets of many small records.",
        subcommands = {
            InfoCommand.class,
            VerifyCommand.class,
            HeadCommand.class,
            GetCommand.class,
            PackCommand.class,
            DemoCommand.class
        },
        versionProvider = PenstockCommand.Version.class,
        footer = {
            "",
            "Exit codes: 0 fine, 1 the data is bad, 2 usage, 3 the disk.",
            "",
            "Example:",
            "  penstock pack build --input photos --output photos.a2pack --all-files",
            "  penstock verify photos.a2pack"
        })
final class PenstockCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean isVersion;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do");
    }

    /// The version the jar was built as.
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = PenstockCommand.class.getPackage().getImplementationVersion();
            return new String[] {"penstock " + (version == null ? "(not from a jar)" : version)};
        }
    }
}
