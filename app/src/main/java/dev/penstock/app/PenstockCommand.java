// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;
import picocli.CommandLine.Option;

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
            StatsCommand.class,
            ExportCommand.class,
            PlanCommand.class,
            BenchCommand.class,
            PackCommand.class,
            TableCommand.class,
            TreeCommand.class,
            DemoCommand.class,
            HelpCommand.class
        },
        versionProvider = PenstockCommand.Version.class,
        footer = {
            "",
            "Exit codes: 0 fine, 1 the data is bad, 2 usage, 3 the disk, 141 nobody reads the output any more.",
            "With --json a failure prints {\"error\": {\"kind\", \"reason\", \"file\", \"offset\", \"message\"}}.",
            "",
            "Example:",
            "  penstock pack build --input photos --output photos.a2pack --all-files",
            "  penstock verify photos.a2pack"
        })
final class PenstockCommand extends CommandGroup {
    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean isVersion;

    /// The version the jar was built as.
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = PenstockCommand.class.getPackage().getImplementationVersion();
            return new String[] {"penstock " + (version == null ? "(not from a jar)" : version)};
        }
    }
}
