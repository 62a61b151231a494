// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// The top-level command.
@CommandLine.Command(
        name = "penstock",
        header = "Read training data from disk fast enough for the accelerator.",
        description = "Packs, checks, converts and loads datasets of many small records.",
        versionProvider = PenstockCommand.Version.class,
        footer = {
            "",
            "Exit codes: 0 success, 1 bad data, 2 usage error, 3 I/O error, 141 output pipe closed.",
            "With --json an error prints {\"error\": {\"kind\", \"reason\", \"file\", \"offset\", \"message\"}},",
            "as the last line of standard error if part of the result was already printed.",
            "",
            "Example:",
            "  penstock pack build --input photos --output photos.a2pack --all-files",
            "  penstock verify photos.a2pack"
        })
final class PenstockCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("info", InfoCommand.class);
        commands.put("verify", VerifyCommand.class);
        commands.put("fingerprint", FingerprintCommand.class);
        commands.put("head", HeadCommand.class);
        commands.put("get", GetCommand.class);
        commands.put("stats", StatsCommand.class);
        commands.put("export", ExportCommand.class);
        commands.put("select", SelectCommand.class);
        commands.put("convert", ConvertCommand.class);
        commands.put("merge", MergeCommand.class);
        commands.put("sample", SampleCommand.class);
        commands.put("plan", PlanCommand.class);
        commands.put("bench", BenchCommand.class);
        commands.put("pack", PackCommand.class);
        commands.put("table", TableCommand.class);
        commands.put("shards", ShardsCommand.class);
        commands.put("tree", TreeCommand.class);
        commands.put("store", StoreCommand.class);
        commands.put("demo", DemoCommand.class);
        commands.put("completion", CompletionCommand.class);
        commands.put("man", ManualCommand.class);
        commands.put("help", HelpCommand.class);
    }

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean isVersion;

    /// The version of the jar.
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = PenstockCommand.class.getPackage().getImplementationVersion();
            return new String[] {"penstock " + (version == null ? "(not from a jar)" : version)};
        }
    }
}
