// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandWithHelp;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Prints the help of a command, like `--help`.
@CommandLine.Command(
        name = "help",
        header = "Show the help of a command.",
        footer = {"", "Example:", "  penstock help pack build"})
final class HelpCommand extends CommandWithHelp implements Runnable {
    @Spec
    CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            completionCandidates = CommandNames.class,
            description = "The command (default: list all commands).")
    List<String> words = List.of();

    @Override
    public void run() {
        CommandLine wanted = spec.parent().commandLine();
        for (String word : words) {
            CommandLine below = wanted.getSubcommands().get(word);
            if (below == null) {
                String known = String.join(", ", wanted.getSubcommands().keySet());
                throw new CommandLine.ParameterException(
                        spec.commandLine(),
                        "there is no command " + word + " in "
                                + wanted.getCommandSpec().qualifiedName()
                                + (known.isEmpty() ? "" : "; the commands are " + known));
            }
            wanted = below;
        }
        wanted.usage(spec.commandLine().getOut());
    }

    /// The commands of the first level, which a shell completes.
    static final class CommandNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Main.commandLine(null).getSubcommands().keySet().iterator();
        }
    }
}
