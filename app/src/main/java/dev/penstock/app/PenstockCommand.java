// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// The command above all others.
@CommandLine.Command(
        name = "penstock",
        header = "Training records from disk to the accelerator.",
        description = "Packs, checks and reads datasets of many small records.",
        versionProvider = PenstockCommand.Version.class,
        footer = {
            "",
            "Exit codes: 0 fine, 1 the data is bad, 2 usage, 3 the disk, 141 the reader of the output is gone.",
            "With --json a failure prints {\"error\": {\"kind\", \"reason\", \"file\", \"offset\", \"message\"}}.",
            "",
            "Example:",
            "  penstock pack build --input photos --output photos.a2pack --all-files",
            "  penstock verify photos.a2pack"
        })
final class PenstockCommand extends CommandGroup {
    @Override
    void list(Map<String, Class<?>> commands) {
        commands.put("info", InfoCommand.class);
        commands.put("verify", VerifyCommand.class);
        commands.put("fingerprint", FingerprintCommand.class);
        commands.put("head", HeadCommand.class);
        commands.put("get", GetCommand.class);
        commands.put("stats", StatsCommand.class);
        commands.put("export", ExportCommand.class);
        commands.put("plan", PlanCommand.class);
        commands.put("bench", BenchCommand.class);
        commands.put("pack", PackCommand.class);
        commands.put("runs", RunsCommand.class);
        commands.put("steps", StepsCommand.class);
        commands.put("table", TableCommand.class);
        commands.put("shards", ShardsCommand.class);
        commands.put("tree", TreeCommand.class);
        commands.put("store", StoreCommand.class);
        commands.put("demo", DemoCommand.class);
        commands.put("help", HelpCommand.class);
    }

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
