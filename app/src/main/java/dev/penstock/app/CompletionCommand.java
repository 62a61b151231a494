// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandWithHelp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;

/// Prints a shell script that completes commands, options and file names.
@CommandLine.Command(
        name = "completion",
        header = "Print a script that completes commands in a shell.",
        description = "Load it when a shell starts, or install it where the shell looks for such scripts.",
        footer = {
            "",
            "Example:",
            "  penstock completion bash > ~/.local/share/bash-completion/completions/penstock",
            "  penstock completion zsh > ~/.penstock.zsh && echo 'source ~/.penstock.zsh' >> ~/.zshrc",
            "  penstock completion fish > ~/.config/fish/completions/penstock.fish"
        })
final class CompletionCommand extends CommandWithHelp implements Runnable {
    private static final Pattern REPEATED = Pattern.compile("local (cmds\\d+)=\\((?:\\S+ )*?(\\S+) (?:\\S+ )*?\\2\\)");
    private static final Pattern VALUES = Pattern.compile("(?<=_args=)\\(.*\\)(?= # .* values)");
    private static final Pattern CHOICES = Pattern.compile("[a-z0-9]+(\\|[a-z0-9]+)+");

    /// The supported shells.
    enum Shell {
        bash,
        zsh,
        fish
    }

    @CommandLine.Spec
    CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    Shell shell;

    @Override
    public void run() {
        spec.commandLine().getOut().print(script(shell));
    }

    static String script(Shell shell) {
        CommandLine all = Main.commandLine(null);
        return switch (shell) {
            // The script of picocli also works in zsh: it loads that shell's support for bash completion.
            case bash, zsh -> lowerCaseValues(withoutRepeatedWords(AutoComplete.bash("penstock", all)));
            case fish -> fish(all);
        };
    }

    /// Leaves out commands whose words repeat, such as the other name `pack pack` of `pack build`. The script
    /// looks for words in any order and number, and would take every `pack` for them.
    private static String withoutRepeatedWords(String script) {
        return REPEATED.matcher(script)
                .results()
                .map(found -> found.group(1))
                .reduce(script, (text, name) -> text.replaceAll("(?m)^.*\\b" + name + "\\b.*\\R", ""));
    }

    /// Offers the values of options as the help texts show them: `mmap`, where the Java constant is `MMAP`.
    private static String lowerCaseValues(String script) {
        return VALUES.matcher(script)
                .replaceAll(values -> Matcher.quoteReplacement(values.group().toLowerCase(Locale.ROOT)));
    }

    private static String fish(CommandLine all) {
        StringBuilder script = new StringBuilder("# Completions of penstock for fish.\n");
        script.append("function __penstock_is\n");
        script.append("    set -l words (commandline -opc)\n");
        script.append("    set -l plain\n");
        script.append("    for word in $words[2..-1]\n");
        script.append("        string match -q -- '-*' $word; or set -a plain $word\n");
        script.append("    end\n");
        script.append("    set -l count (count $argv)\n");
        script.append("    test (count $plain) -ge $count; or return 1\n");
        script.append("    test $count -eq 0; or test \"$plain[1..$count]\" = \"$argv\"\n");
        script.append("end\n");
        script.append("function __penstock_here\n");
        script.append("    set -l words (commandline -opc)\n");
        script.append("    test (count (string match -v -- '-*' $words[2..-1])) -eq (count $argv)\n");
        script.append("    and __penstock_is $argv\n");
        script.append("end\n");
        fish(script, all, List.of());
        return script.toString();
    }

    private static void fish(StringBuilder script, CommandLine line, List<String> words) {
        String path = String.join(" ", words);
        for (OptionSpec option : line.getCommandSpec().options()) {
            if (!option.hidden()) {
                script.append("complete -c penstock -n ").append(quoted("__penstock_is " + path));
                for (String name : option.names()) {
                    boolean isLong = name.startsWith("--");
                    script.append(isLong ? " -l " : " -s ").append(name.substring(isLong ? 2 : 1));
                }
                String values = values(option);
                if (!values.isEmpty()) {
                    script.append(" -x -a ").append(quoted(values));
                } else if (option.arity().max() > 0) {
                    script.append(" -r");
                }
                script.append(" -d ");
                script.append(quoted(firstSentence(option.description()))).append('\n');
            }
        }
        for (PositionalParamSpec parameter : line.getCommandSpec().positionalParameters()) {
            String values = values(parameter);
            if (parameter.index().min() == 0 && !values.isEmpty()) {
                script.append("complete -c penstock -f -n ").append(quoted("__penstock_here " + path));
                script.append(" -a ").append(quoted(values)).append('\n');
            }
        }
        line.getSubcommands().forEach((name, below) -> {
            script.append("complete -c penstock -f -n ").append(quoted("__penstock_here " + path));
            script.append(" -a ").append(name).append(" -d ");
            script.append(
                    quoted(firstSentence(below.getCommandSpec().usageMessage().header())));
            script.append('\n');
            List<String> longer = new ArrayList<>(words);
            longer.add(name);
            fish(script, below, longer);
        });
    }

    /// The values that an argument may have, separated by spaces, or an empty text where it may have any.
    private static String values(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            return String.join(" ", argument.completionCandidates()).toLowerCase(Locale.ROOT);
        }
        String label = argument.paramLabel();
        return CHOICES.matcher(label).matches() ? label.replace('|', ' ') : "";
    }

    private static String firstSentence(String[] text) {
        return text.length == 0 ? "" : text[0].split("(?<=\\.)\\s", 2)[0];
    }

    private static String quoted(String text) {
        return "'" + text.strip().replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
