// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.loader.LoaderException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/// Turns failures into one line and an exit code: 1 the data is bad, 2 usage, 3 the disk.
record Failures(Console console) implements CommandLine.IExecutionExceptionHandler {
    static final int BAD_DATA = 1;
    static final int USAGE = 2;
    static final int DISK = 3;

    @Override
    public int handleExecutionException(Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
        console.flush();
        Object command = commandLine.getCommand();
        if (command instanceof Command ours && ours.isDebug) {
            failure.printStackTrace(console.err());
        }
        console.err().println("penstock: " + message(failure));
        return exitCode(failure);
    }

    private static int exitCode(Exception failure) {
        return switch (failure) {
            case DatasetException _ -> BAD_DATA;
            case LoaderException e -> e.getCause() instanceof Exception cause ? exitCode(cause) : DISK;
            case BadInput _ -> BAD_DATA;
            case FileAlreadyExistsException _ -> USAGE;
            case IOException _ -> DISK;
            case UncheckedIOException _ -> DISK;
            case IllegalArgumentException _ -> USAGE;
            case IndexOutOfBoundsException _ -> USAGE;
            default -> DISK;
        };
    }

    private static String message(Exception failure) {
        return switch (failure) {
            case DatasetException e -> e.getMessage() + " [" + e.reason() + "]";
            case LoaderException e ->
                e.getMessage() + (e.getCause() instanceof DatasetException cause ? " [" + cause.reason() + "]" : "");
            case BadInput e -> e.getMessage();
            case FileAlreadyExistsException e ->
                e.getFile() + " exists already; " + (e.getReason() == null ? "--overwrite replaces it" : e.getReason());
            case NoSuchFileException e -> e.getFile() + ": no such file or folder";
            case AccessDeniedException e -> e.getFile() + ": permission denied";
            case UncheckedIOException e -> message(e.getCause());
            case IOException e -> e.getMessage();
            case IllegalArgumentException e -> e.getMessage();
            case IndexOutOfBoundsException e -> e.getMessage();
            default -> "unexpected " + failure + "; --debug shows where";
        };
    }

    /// Words that make no command.
    static int usage(CommandLine.ParameterException failure, String[] args) {
        CommandLine commandLine = failure.getCommandLine();
        commandLine.getErr().println("penstock: " + failure.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, commandLine.getErr());
        String name = commandLine.getCommandSpec().qualifiedName();
        commandLine.getErr().println("see: " + name + " --help");
        return USAGE;
    }
}
