// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.NewFile;
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
import picocli.CommandLine;

/// Runs one command.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(NewFile::discardAll));
        PrintStream out = stream(StandardOutput.ofProcess());
        PrintStream err = stream(new FileOutputStream(FileDescriptor.err));
        int exitCode = run(new Console(System.in, out, err, Terminal::isStandardError), args);
        err.flush();
        System.exit(exitCode);
    }

    /// Runs a command and returns its exit code, so that tests need no process.
    public static int run(Console console, String... args) {
        CommandLine commandLine = commandLine(console, args);
        StringWriter help = new StringWriter();
        commandLine.setOut(new PrintWriter(help)).setErr(console.errWriter());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(new Failures(console));
        commandLine.setParameterExceptionHandler(Failures::usage);
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(110);
        try {
            int exitCode = commandLine.execute(args);
            commandLine.getOut().flush();
            return print(help.toString(), console, commandLine, exitCode);
        } catch (OutOfMemoryError e) {
            console.err().println("penstock: out of memory: " + e.getMessage());
            return Failures.DISK;
        } finally {
            console.err().flush();
        }
    }

    /// Prints the help, if any was asked for, and writes what is still buffered. A command that has failed keeps
    /// its own exit code.
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

    /// Gives each command the console.
    private record Factory(Console console) implements CommandLine.IFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            K made = CommandLine.defaultFactory().create(type);
            if (made instanceof Command command) {
                command.console = console;
            }
            return made;
        }
    }
}
