// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// A command that only groups other commands, such as `penstock pack`.
///
/// The commands of a group are not in its annotation, because picocli would then examine the class of every
/// command at every start. [#line] adds the one command that the arguments name, and all of them when they name
/// none or ask for help, so that help and error messages are complete.
public abstract class CommandGroup extends CommandWithHelp implements Runnable {
    /// The command that shows the help of all others.
    private static final String HELP = "help";

    @Spec
    public CommandSpec spec;

    /// Adds the commands of this group under their names, in the order in which the help shows them.
    public abstract void list(Map<String, Class<?>> commands);

    /// Builds the command line of this group for the arguments that follow the name of the group.
    public CommandLine line(CommandFactory factory, List<String> args) throws Exception {
        CommandLine line = new CommandLine(this, factory).registerConverter(Path.class, new LocalPath());
        if (args.equals(List.of("--version"))) {
            return line;
        }
        Map<String, Class<?>> commands = new LinkedHashMap<>();
        list(commands);
        String wanted = args.isEmpty() ? null : nameOf(args.getFirst(), commands);
        if (wanted == null || wanted.equals(HELP)) {
            addPlugins(line.getCommandName(), commands);
            wanted = args.isEmpty() ? null : nameOf(args.getFirst(), commands);
        }
        if (wanted != null && !wanted.equals(HELP)) {
            add(line, wanted, factory.create(commands.get(wanted)), factory, args.subList(1, args.size()));
            return line;
        }
        boolean isOwnHelp = args.equals(List.of("--help")) || args.equals(List.of("-h"));
        for (Map.Entry<String, Class<?>> entry : commands.entrySet()) {
            Object command = factory.create(entry.getValue());
            if (isOwnHelp && !(command instanceof CommandAlias)) {
                line.addSubcommand(entry.getKey(), command);
            } else {
                add(line, entry.getKey(), command, factory, args);
            }
        }
        return line;
    }

    /// Adds the commands of plug-ins, which replace none of the group's own. They are searched for when no other
    /// command is named, because that opens all jars.
    private static void addPlugins(String group, Map<String, Class<?>> commands) {
        for (CommandPlugin plugin : CommandPlugin.all()) {
            Map<String, Class<?>> more = new LinkedHashMap<>();
            plugin.list(group, more);
            more.forEach(commands::putIfAbsent);
        }
    }

    /// The name of the command that a word stands for, which may be an alias; null when there is no such command.
    private static String nameOf(String word, Map<String, Class<?>> commands) {
        if (commands.containsKey(word)) {
            return word;
        }
        for (Map.Entry<String, Class<?>> entry : commands.entrySet()) {
            CommandLine.Command command = entry.getValue().getAnnotation(CommandLine.Command.class);
            if (List.of(command.aliases()).contains(word)) {
                return entry.getKey();
            }
        }
        return null;
    }

    private static void add(CommandLine line, String name, Object command, CommandFactory factory, List<String> args)
            throws Exception {
        // Adding the command itself would leave out its model transformer.
        CommandLine own = switch (command) {
            case CommandGroup group -> group.line(factory, args);
            case CommandAlias alias -> factory.alias(alias);
            default -> new CommandLine(command, factory);
        };
        own.registerConverter(Path.class, new LocalPath());
        line.addSubcommand(name, own);
    }

    @Override
    public void run() {
        String words = String.join(", ", spec.subcommands().keySet());
        throw new CommandLine.ParameterException(spec.commandLine(), "missing command: choose one of " + words);
    }
}
