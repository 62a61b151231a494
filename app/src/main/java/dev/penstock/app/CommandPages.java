// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/// The help texts of all commands as pages: Markdown for the documentation, and a manual page.
///
/// All of them are generated from the output of `--help`, so they cannot differ from it.
final class CommandPages {
    /// Wide enough for the examples, and narrow enough for a page.
    private static final int WIDTH = 100;

    private CommandPages() {}

    /// All commands by their words, such as `pack build`. The top-level command comes first with an empty name.
    static Map<String, CommandLine> commands() {
        Map<String, CommandLine> commands = new LinkedHashMap<>();
        add(commands, "", Main.commandLine(null));
        return commands;
    }

    private static void add(Map<String, CommandLine> commands, String words, CommandLine line) {
        line.setUsageHelpWidth(WIDTH);
        commands.put(words, line);
        line.getSubcommands().forEach((name, below) -> {
            // Aliases of a command are in its help text, and hidden commands are short names of others.
            boolean isHidden = below.getCommandSpec().usageMessage().hidden();
            if (name.equals(below.getCommandName()) && !isHidden) {
                add(commands, (words + " " + name).strip(), below);
            }
        });
    }

    /// The pages of the reference by file name: one for each command of the first level, and an index.
    static Map<String, String> markdown() {
        Map<String, StringBuilder> pages = new LinkedHashMap<>();
        StringBuilder index = new StringBuilder();
        index.append(
                "# Commands\n\nThese pages are generated from the help texts: `penstock help COMMAND` prints the ");
        index.append("same.\n\n| command | what it does |\n|---|---|\n");
        pages.put("index.md", index);
        commands().forEach((words, line) -> {
            if (words.isEmpty()) {
                return;
            }
            String first = words.split(" ")[0];
            StringBuilder page = pages.computeIfAbsent(first + ".md", _ -> new StringBuilder());
            boolean isFirst = words.equals(first);
            if (isFirst) {
                index.append("| [`penstock ")
                        .append(first)
                        .append("`](")
                        .append(first)
                        .append(".md) | ");
                index.append(header(line).replace("|", "\\|")).append(" |\n");
            }
            page.append(isFirst ? "# " : "\n## ")
                    .append("penstock ")
                    .append(words)
                    .append("\n\n");
            page.append("```text\n").append(usage(line)).append("```\n");
        });
        index.append("\nAll commands together, with the exit codes:\n\n```text\n");
        index.append(usage(commands().get(""))).append("```\n");
        Map<String, String> texts = new LinkedHashMap<>();
        pages.forEach((name, page) -> texts.put(name, page.toString()));
        return texts;
    }

    /// The manual page, in the macros that `man` reads.
    static String manual() {
        StringBuilder page = new StringBuilder();
        page.append(".TH PENSTOCK 1 \"\" \"")
                .append(new PenstockCommand.Version().getVersion()[0])
                .append("\"\n");
        page.append(".SH NAME\npenstock \\- packs, checks, reads and converts datasets for training\n");
        commands().forEach((words, line) -> {
            page.append(".SH ")
                    .append(words.isEmpty() ? "SYNOPSIS" : "\"penstock " + words + "\"")
                    .append('\n');
            page.append(".nf\n").append(roff(usage(line))).append(".fi\n");
        });
        return page.toString();
    }

    private static String header(CommandLine line) {
        return String.join(" ", line.getCommandSpec().usageMessage().header());
    }

    private static String usage(CommandLine line) {
        String text = line.getUsageMessage(Ansi.OFF);
        return text.lines().map(String::stripTrailing).reduce("", (all, one) -> all + one + "\n");
    }

    /// Escapes text so that nothing in it is taken for a macro.
    private static String roff(String text) {
        StringBuilder lines = new StringBuilder();
        text.lines().forEach(line -> {
            String escaped = line.replace("\\", "\\e").replace("-", "\\-");
            lines.append(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" : "");
            lines.append(escaped).append('\n');
        });
        return lines.toString();
    }
}
