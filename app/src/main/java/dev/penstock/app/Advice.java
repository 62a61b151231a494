// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.convert.BadInput;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;

/// What a user of the command line can do after a failure. The library reports the reason as data and knows no
/// options; this class names the options of the command that help.
final class Advice {
    private static final String FILE_EXISTS = "FILE_EXISTS";
    private static final String UNKNOWN_FORMAT = "UNKNOWN_FORMAT";
    private static final String UNTYPED = "UNTYPED";
    private static final String UNEVEN_TEXT = "UNEVEN_TEXT";
    private static final String LENIENT = "--lenient reads the shard files as they are";
    private static final String SKIP_BAD = "--skip-bad leaves such runs out";

    /// Remedies for reasons, each offered by commands that have the option.
    private static final List<Remedy> REMEDIES = List.of(
            new Remedy(FILE_EXISTS, "--overwrite", "--overwrite replaces it"),
            new Remedy(UNTYPED, "--dtype", "--dtype gives the type"),
            new Remedy(UNKNOWN_FORMAT, "--dtype", "--dtype gives the type of a file of plain numbers"),
            new Remedy(UNEVEN_TEXT, "--to", "--to store makes one"),
            new Remedy("BAD_MANIFEST", "--lenient", LENIENT),
            new Remedy("MISSING_SHARD", "--lenient", LENIENT),
            new Remedy("BAD_STATS", "--again", "--again computes them again"),
            new Remedy("RUN_TOO_LONG", "--wide", "--wide stores such runs"),
            new Remedy("RUN_TOO_LONG", "--skip-bad", SKIP_BAD),
            new Remedy("COUNT_MISMATCH", "--skip-bad", SKIP_BAD),
            new Remedy(
                    "MISSING_BRANCHES",
                    "--missing-branches",
                    "--missing-branches synthesize gives the chosen move the value 1"));

    private Advice() {}

    private record Remedy(String reason, String option, String words) {}

    /// Returns what the user can do, to be appended to the message, or an empty string.
    static String of(Exception failure, CommandLine commandLine) {
        String reason = switch (failure) {
            case DatasetException.UnknownFormat _ -> UNKNOWN_FORMAT;
            case BadInput.Untyped _ -> UNTYPED;
            case BadInput.UnevenText _ -> UNEVEN_TEXT;
            case DatasetException bad -> bad.reason().toString();
            case FileAlreadyExistsException _ -> FILE_EXISTS;
            default -> "";
        };
        CommandLine.ParseResult parsed = commandLine.getParseResult();
        CommandLine command =
                parsed == null ? commandLine : parsed.asCommandLineList().getLast();
        return REMEDIES.stream()
                .filter(remedy -> remedy.reason.equals(reason) && isOpen(command, remedy.option))
                .map(remedy -> "; " + remedy.words)
                .collect(Collectors.joining());
    }

    /// Whether the command has the option, and was not given it.
    private static boolean isOpen(CommandLine command, String option) {
        return command.getCommandSpec().findOption(option) != null
                && (command.getParseResult() == null
                        || !command.getParseResult().hasMatchedOption(option));
    }
}
