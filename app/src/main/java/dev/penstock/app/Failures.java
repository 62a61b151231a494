// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.loader.LoaderException;
import dev.penstock.memory.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/// Turns failures into one line on standard error and an exit code: 1 the data is bad, 2 usage, 3 the disk.
///
/// With `--json` standard output gets an object with the key `error` as well, unless part of the result has been
/// printed already. A pipe whose reader has gone ends the command without a word.
record Failures(Console console) implements CommandLine.IExecutionExceptionHandler {
    static final int BAD_DATA = 1;
    static final int USAGE = 2;
    static final int DISK = 3;

    /// What shells report for a program that ended because of a broken pipe: 128 and the number of SIGPIPE.
    static final int BROKEN_PIPE = 141;

    @Override
    public int handleExecutionException(Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
        if (failure instanceof StandardOutput.ReaderGone) {
            return BROKEN_PIPE;
        }
        Command command = commandLine.getCommand() instanceof Command ours ? ours : null;
        try {
            if (command != null && command.isJson && !command.hasPrinted()) {
                command.printJson(Map.of("error", json(failure)));
            }
            console.flush();
        } catch (StandardOutput.ReaderGone | UncheckedIOException e) {
            // Standard error still says what happened.
        }
        if (command != null && command.isDebug) {
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
            case NoSuchFileException e -> e.getFile() + ": no such file or folder" + encodingHint(e.getFile());
            case AccessDeniedException e -> e.getFile() + ": permission denied";
            case FileSystemLoopException e -> e.getFile() + ": the symbolic links lead in a circle";
            case UncheckedIOException e -> message(e.getCause());
            case IOException e -> e.getMessage();
            case IllegalArgumentException e -> e.getMessage();
            case IndexOutOfBoundsException e -> e.getMessage();
            default -> "unexpected " + failure + "; --debug shows where";
        };
    }

    /// Java replaces the bytes of an argument that are not UTF-8 before a command sees it, so such a file cannot
    /// be opened from the command line.
    private static String encodingHint(String file) {
        return file != null && file.indexOf('\uFFFD') >= 0
                ? "; if its name is not UTF-8, open it from Python, or rename it"
                : "";
    }

    /// A failure as the object that `--json` prints.
    private static Map<String, Object> json(Exception failure) {
        Exception cause =
                failure instanceof LoaderException e && e.getCause() instanceof Exception inner ? inner : failure;
        cause = cause instanceof UncheckedIOException e ? e.getCause() : cause;
        DatasetException bad = cause instanceof DatasetException e ? e : null;
        Object file = cause instanceof FileSystemException e ? e.getFile() : bad == null ? null : bad.file();
        return json(
                kind(failure),
                bad == null ? reason(cause) : bad.reason(),
                file,
                bad == null ? null : bad.offset(),
                message(failure));
    }

    private static Map<String, Object> json(String kind, Object reason, Object file, Object offset, String message) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", kind);
        json.put("reason", reason);
        json.put("file", file);
        json.put("offset", offset);
        json.put("message", message);
        return json;
    }

    private static String kind(Exception failure) {
        return switch (exitCode(failure)) {
            case BAD_DATA -> "data";
            case USAGE -> "usage";
            default -> "disk";
        };
    }

    private static String reason(Exception failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "NO_SUCH_FILE";
            case FileAlreadyExistsException _ -> "FILE_EXISTS";
            case AccessDeniedException _ -> "PERMISSION_DENIED";
            case FileSystemLoopException _ -> "LINK_LOOP";
            default -> null;
        };
    }

    /// Words that make no command.
    static int usage(CommandLine.ParameterException failure, String[] args) {
        CommandLine commandLine = failure.getCommandLine();
        if (Arrays.asList(args).contains("--json")) {
            Map<String, Object> error = json("usage", null, null, null, failure.getMessage());
            commandLine.getOut().println(Json.text(Map.of("error", error)));
        }
        commandLine.getErr().println("penstock: " + failure.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, commandLine.getErr());
        String name = commandLine.getCommandSpec().qualifiedName();
        commandLine.getErr().println("see: " + name + " --help");
        return USAGE;
    }
}
