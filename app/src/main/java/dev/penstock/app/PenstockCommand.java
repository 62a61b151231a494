// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandFactory;
import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
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
            "  penstock convert rows.csv rows.npy",
            "  penstock info rows.npy"
        })
final class PenstockCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("info", InfoCommand.class);
        commands.put("verify", VerifyCommand.class);
        commands.put("fingerprint", FingerprintCommand.class);
        commands.put("head", HeadCommand.class);
        commands.put("get", GetCommand.class);
        commands.put("find", FindCommand.class);
        commands.put("stats", StatsCommand.class);
        commands.put("select", SelectCommand.class);
        commands.put("copy", CopyCommand.class);
        commands.put("sql", SqlCommand.class);
        commands.put("convert", ConvertCommand.class);
        commands.put("merge", MergeCommand.class);
        commands.put("doctor", DoctorCommand.class);
        commands.put("export", ExportCommand.class);
        commands.put("sample", SampleCommand.class);
        commands.put("plan", PlanCommand.class);
        commands.put("history", HistoryCommand.class);
        commands.put("bench", BenchCommand.class);
        commands.put("pack", PackCommand.class);
        commands.put("table", TableCommand.class);
        commands.put("shards", ShardsCommand.class);
        commands.put("tree", TreeCommand.class);
        commands.put("store", StoreCommand.class);
        commands.put("cache", CacheCommand.class);
        commands.put("demo", DemoCommand.class);
        commands.put("completion", CompletionCommand.class);
        commands.put("man", ManualCommand.class);
        commands.put("help", HelpCommand.class);
    }

    @Override
    public CommandLine line(CommandFactory factory, List<String> args) throws Exception {
        CommandLine line = super.line(factory, args);
        line.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, PenstockCommand::sections);
        return line;
    }

    /// The list of commands in the help, under the headings of their sections.
    private static String sections(CommandLine.Help help) {
        Map<HelpSection.Name, Map<String, CommandLine.Help>> sections = new EnumMap<>(HelpSection.Name.class);
        help.subcommands().forEach((name, command) -> {
            Class<?> type = command.commandSpec().userObject().getClass();
            sections.computeIfAbsent(HelpSection.Name.of(type), _ -> new LinkedHashMap<>())
                    .put(name, command);
        });
        StringBuilder text = new StringBuilder();
        sections.forEach((section, commands) ->
                text.append("%n%s:%n".formatted(section.heading())).append(help.commandList(commands)));
        return text.toString();
    }

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean isVersion;

    /// The version of the jar, or of the module that a runtime has in its place.
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"penstock " + version()};
        }

        private static String version() {
            Module module = PenstockCommand.class.getModule();
            if (module.isNamed()) {
                return module.getDescriptor().rawVersion().orElse("(of a module without one)");
            }
            String version = PenstockCommand.class.getPackage().getImplementationVersion();
            return version == null ? "(not from a jar)" : version;
        }
    }
}
