// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.NewFile;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/// Runs one command.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(NewFile::discardAll));
        PrintStream out = stream(FileDescriptor.out);
        PrintStream err = stream(FileDescriptor.err);
        int exitCode = run(new Console(System.in, out, err, Terminal.isStandardError()), args);
        if (out.checkError() && exitCode == 0) {
            err.println("penstock: cannot write to standard output");
            exitCode = Failures.DISK;
        }
        err.flush();
        System.exit(exitCode);
    }

    /// Runs a command and returns its exit code, so that tests need no process.
    public static int run(Console console, String... args) {
        CommandLine commandLine = new CommandLine(new PenstockCommand(), new Factory(console));
        commandLine.setOut(console.outWriter()).setErr(console.errWriter());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(new Failures(console));
        commandLine.setParameterExceptionHandler(Failures::usage);
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(110);
        try {
            return commandLine.execute(args);
        } catch (OutOfMemoryError e) {
            console.err().println("penstock: out of memory: " + e.getMessage());
            return Failures.DISK;
        } finally {
            console.flush();
        }
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16), false, StandardCharsets.UTF_8);
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
