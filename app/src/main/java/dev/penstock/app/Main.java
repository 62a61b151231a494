// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.NewFile;
import dev.penstock.plugin.Colours;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.CommandAlias;
import dev.penstock.plugin.CommandFactory;
import dev.penstock.plugin.Console;
import dev.penstock.plugin.Terminal;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/// Runs one command.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(NewFile::discardAll));
        int exitCode = run(processConsole(), args);
        // If the command left no threads behind, Java ends by itself, which is faster because exit hooks are not
        // set up.
        if (exitCode != 0 || QuickCommands.find(null, args) == null) {
            System.exit(exitCode);
        }
    }

    /// The console of the process.
    static Console processConsole() {
        PrintStream out = stream(StandardOutput.ofProcess());
        PrintStream err = stream(new FileOutputStream(FileDescriptor.err));
        Map<String, String> environment = System.getenv();
        return new Console(
                System.in, out, err, Terminal::isStandardError, Colours.of(1, environment), Colours.of(2, environment));
    }

    /// Runs a command and returns its exit code. Tests call it without starting a process.
    public static int run(Console console, String... args) {
        Command quick = QuickCommands.find(console, args);
        return quick == null ? runParsed(console, args) : call(console, quick);
    }

    private static int call(Console console, Command command) {
        int exitCode = 0;
        try {
            exitCode = command.call();
            console.out().flush();
            return exitCode;
        } catch (Exception e) {
            int failed = new Failures(console).handle(e, command);
            return exitCode == 0 ? failed : exitCode;
        } catch (OutOfMemoryError e) {
            return new Failures(console).outOfMemory(e, command);
        } finally {
            console.err().flush();
        }
    }

    /// Runs a command whose arguments picocli parses.
    static int runParsed(Console console, String... args) {
        CommandLine commandLine = commandLine(console, args);
        StringWriter help = new StringWriter();
        commandLine.setOut(new PrintWriter(help)).setErr(console.errWriter());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(new Failures(console));
        commandLine.setParameterExceptionHandler(Failures::usage);
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(110);
        commandLine.setColorScheme(
                CommandLine.Help.defaultColorScheme(console.outColours().ansi()));
        try {
            int exitCode = commandLine.execute(args);
            commandLine.getOut().flush();
            return print(help.toString(), console, commandLine, exitCode);
        } catch (OutOfMemoryError e) {
            return new Failures(console).outOfMemory(e, Failures.command(commandLine));
        } finally {
            console.err().flush();
        }
    }

    /// Prints the help, if it was requested, and flushes the output. A command that has failed keeps its own exit
    /// code.
    private static int print(String help, Console console, CommandLine commandLine, int exitCode) {
        try {
            console.out().print(help);
            console.out().flush();
            return exitCode;
        } catch (StandardOutput.ReaderGone | UncheckedIOException e) {
            int failed = new Failures(console).handleExecutionException(e, commandLine, null);
            return exitCode == 0 ? failed : exitCode;
        }
    }

    /// The command that the arguments name, or all commands when they name none.
    static CommandLine commandLine(Console console, String... args) {
        try {
            return new PenstockCommand().line(new Factory(console), List.of(args));
        } catch (Exception e) {
            throw new AssertionError("every command has a constructor without parameters", e);
        }
    }

    private static PrintStream stream(OutputStream stream) {
        return new PrintStream(new BufferedOutputStream(stream, 1 << 16), false, StandardCharsets.UTF_8);
    }

    /// Creates commands and gives each of them the console.
    private record Factory(Console console) implements CommandFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            K made = CommandLine.defaultFactory().create(type);
            if (made instanceof Command command) {
                command.console = console;
            }
            return made;
        }

        @Override
        public CommandLine alias(CommandAlias alias) throws Exception {
            return AliasLine.of(alias, this);
        }
    }
}
