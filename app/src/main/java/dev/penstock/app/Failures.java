// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.convert.BadInput;
import dev.penstock.file.FileInUseException;
import dev.penstock.file.Json;
import dev.penstock.loader.LoaderException;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Console;
import dev.penstock.plugin.Description;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/// Turns exceptions into one line on standard error and an exit code: 1 for bad data, 2 for usage, 3 for I/O
/// errors.
///
/// With `--json` an error object is printed as well, on one line. It goes to standard output if nothing was
/// printed there. Otherwise it is the last line of standard error, because on standard output it could not be told
/// apart from the result. If the reader of standard output is gone, the command ends silently.
record Failures(Console console) implements CommandLine.IExecutionExceptionHandler {
    static final int BAD_DATA = Command.BAD_DATA;
    static final int USAGE = 2;
    static final int DISK = 3;

    /// The exit code that shells report for a broken pipe: 128 plus the number of SIGPIPE.
    static final int BROKEN_PIPE = 141;

    @Override
    public int handleExecutionException(Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
        return handle(failure, command(commandLine), Advice.of(failure, commandLine));
    }

    /// Reports a failure and returns the exit code.
    ///
    /// @param command the command that failed, or null when it is not known
    int handle(Exception failure, Command command) {
        return handle(failure, command, command == null ? "" : Advice.of(failure, new CommandLine(command)));
    }

    private int handle(Exception failure, Command command, String advice) {
        if (failure instanceof StandardOutput.ReaderGone) {
            return BROKEN_PIPE;
        }
        if (command != null && command.isDebug) {
            failure.printStackTrace(console.err());
        }
        Map<String, Object> error = json(failure);
        error.put("message", error.get("message") + advice);
        report(command, message(failure) + advice, error);
        return exitCode(failure);
    }

    /// Reports that the heap is exhausted, which the exception handlers of picocli do not see.
    int outOfMemory(OutOfMemoryError failure, Command command) {
        String message = "out of memory: " + failure.getMessage();
        report(command, message, json("disk", "OUT_OF_MEMORY", null, null, message));
        return DISK;
    }

    private void report(Command command, String message, Map<String, Object> error) {
        boolean isJson = command != null && command.isJson;
        boolean isForOutput = isJson && !command.hasPrinted();
        boolean isFlushed = isFlushed(isForOutput ? text(error) + "\n" : "");
        console.err().println(console.errColours().bad("penstock:") + " " + message);
        if (isJson && !(isForOutput && isFlushed)) {
            console.err().println(text(error));
        }
        console.err().flush();
    }

    /// Whether standard output accepted the error object and everything before it. If it did not, standard error
    /// still reports the failure.
    private boolean isFlushed(String error) {
        try {
            console.out().print(error);
            console.out().flush();
            return true;
        } catch (StandardOutput.ReaderGone | UncheckedIOException e) {
            return false;
        }
    }

    private static String text(Map<String, Object> error) {
        return Json.text(Map.of("error", error));
    }

    /// The command that the arguments name, or null when they name a group of commands.
    static Command command(CommandLine commandLine) {
        CommandLine.ParseResult parsed = commandLine.getParseResult();
        CommandLine innermost =
                parsed == null ? commandLine : parsed.asCommandLineList().getLast();
        return innermost.getCommand() instanceof Command command ? command : null;
    }

    /// Whether something is there under the name, and it is not what the command needs: a folder that is no store.
    private static boolean isOther(NoSuchFileException failure) {
        return failure.getReason() != null
                && failure.getFile() != null
                && Files.exists(Path.of(failure.getFile()), LinkOption.NOFOLLOW_LINKS);
    }

    private static int exitCode(Exception failure) {
        return switch (failure) {
            case DatasetException _ -> BAD_DATA;
            case LoaderException e -> e.getCause() instanceof Exception cause ? exitCode(cause) : DISK;
            case BadInput _ -> BAD_DATA;
            case FileAlreadyExistsException _ -> USAGE;
            case NoSuchFileException e when isOther(e) -> BAD_DATA;
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
                e.getFile() + " already exists" + (e.getReason() == null ? "" : "; " + e.getReason());
            case NoSuchFileException e ->
                e.getFile() + ": " + (e.getReason() == null ? "no such file or folder" : e.getReason()) + folderHint(e)
                        + encodingHint(e.getFile());
            case AccessDeniedException e -> e.getFile() + ": permission denied";
            case NotDirectoryException e -> e.getFile() + ": this is not a folder";
            case FileSystemLoopException e -> e.getFile() + ": the symbolic links form a loop";
            case UncheckedIOException e -> message(e.getCause());
            case IOException e -> e.getMessage();
            case IllegalArgumentException e -> e.getMessage();
            case IndexOutOfBoundsException e -> e.getMessage();
            default -> "unexpected " + failure + "; run again with --debug for the stack trace";
        };
    }

    /// Says that the folder is missing as well, which is the usual mistake with the name of an output.
    private static String folderHint(NoSuchFileException failure) {
        Path parent = failure.getFile() == null || failure.getReason() != null
                ? null
                : Path.of(failure.getFile()).getParent();
        return parent == null || Files.exists(parent, LinkOption.NOFOLLOW_LINKS)
                ? ""
                : "; there is no folder " + parent + " either, create it or correct the path";
    }

    /// Java replaces bytes of an argument that are not UTF-8 before a command sees them, so such a file cannot be
    /// opened from the command line.
    private static String encodingHint(String file) {
        return file != null && file.indexOf('\uFFFD') >= 0
                ? "; if its name is not UTF-8, open it from Python, or rename it"
                : "";
    }

    /// The error object that `--json` prints.
    private static Map<String, Object> json(Exception failure) {
        Exception cause =
                failure instanceof LoaderException e && e.getCause() instanceof Exception inner ? inner : failure;
        cause = cause instanceof UncheckedIOException e ? e.getCause() : cause;
        DatasetException bad = cause instanceof DatasetException e ? e : null;
        Object file = cause instanceof FileSystemException e ? e.getFile() : bad == null ? null : bad.file();
        Map<String, Object> json = json(
                kind(failure),
                bad == null ? reason(cause) : bad.reason(),
                file,
                bad == null ? null : bad.offset(),
                message(failure));
        if (bad != null && bad.problems().size() > 1) {
            json.put("problems", bad.problems().stream().map(Description::of).toList());
        }
        return json;
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
            case FileInUseException _ -> "FILE_IN_USE";
            case IOException _ -> Reason.IO.name();
            default -> null;
        };
    }

    /// Reports an invalid command line.
    static int usage(CommandLine.ParameterException failure, String[] args) {
        CommandLine commandLine = failure.getCommandLine();
        if (Arrays.asList(args).contains("--json")) {
            commandLine.getOut().println(text(json("usage", null, null, null, message(failure))));
        }
        commandLine.getErr().println("penstock: " + message(failure));
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, commandLine.getErr());
        String name = commandLine.getCommandSpec().qualifiedName();
        commandLine.getErr().println("see: " + name + " --help");
        return USAGE;
    }

    /// The message of an invalid command line. An argument that is not expected is named in plain words.
    private static String message(CommandLine.ParameterException failure) {
        if (failure instanceof CommandLine.UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String word = unmatched.getUnmatched().getFirst();
            CommandLine commandLine = failure.getCommandLine();
            String name = commandLine.getCommandSpec().qualifiedName();
            boolean isGroup = !commandLine.getSubcommands().isEmpty();
            return isGroup ? "there is no command " + word + " in " + name : name + " does not expect " + word;
        }
        // picocli ends the message with the type of Java.
        return String.valueOf(failure.getMessage())
                .replaceFirst(" is not an? (long|int)$", " is not an integer")
                .replaceFirst(" is not a (double|float)$", " is not a number");
    }
}
