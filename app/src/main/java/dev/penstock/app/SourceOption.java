// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options for how the files of other libraries become records.
final class SourceOption {
    private static final String STOP = "stop";
    private static final String SKIP = "skip";

    @Option(
            names = "--decode",
            paramLabel = "LIST",
            description = "Of a tar or zip archive: decode files, as in json,cls,txt,npy, or all (default: bytes). Of"
                    + " TFRecord files: raw leaves records as bytes.")
    String decoded;

    @Option(
            names = "--on-error",
            paramLabel = "stop|skip",
            defaultValue = STOP,
            description = "What to do with a record that cannot be read: stop, or skip and list it; convert writes the"
                    + " list to TARGET.left-out.jsonl. Text, Parquet, archives and data of other loaders can be read"
                    + " so; other sources refuse skip (default: ${DEFAULT-VALUE}).")
    String onError;

    @Mixin
    DtypeOption dtype = new DtypeOption();

    @Option(
            names = "--end-token",
            paramLabel = "N",
            description = "Divide a stream of tokens into documents, which end with the token N.")
    Long endToken;

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Divide tokens, or other numbers, into rows of N. What is left at the end is left out.")
    Long window;

    private BadRecords bad = BadRecords.REFUSED;

    /// Adds these options to others.
    ///
    /// @throws IllegalArgumentException when one is invalid
    SourceOptions of(SourceOptions options) {
        if (!onError.equals(STOP) && !onError.equals(SKIP)) {
            throw new IllegalArgumentException("--on-error must be stop or skip, got " + onError);
        }
        bad = onError.equals(SKIP) ? BadRecords.skipped() : BadRecords.REFUSED;
        Set<String> words = new LinkedHashSet<>();
        if (decoded != null) {
            Arrays.stream(decoded.split(",")).map(String::strip).forEach(words::add);
        }
        return options.withDecoded(words).withBad(bad).withCatalog(dtype.of(options.catalog()));
    }

    /// The records as documents or windows, if these options say so.
    RecordSource divided(RecordSource source) throws IOException {
        RecordSource documents = endToken == null ? source : RecordSource.documents(source, endToken);
        return window == null ? documents : RecordSource.windows(documents, window);
    }

    /// What was left out.
    BadRecords bad() {
        return bad;
    }

    /// Writes the list of what was left out beside a target.
    ///
    /// @return the file, or null when nothing was left out
    Path writeLeftOut(Path target) throws IOException {
        if (bad.leftOut().isEmpty()) {
            return null;
        }
        Path file = target.resolveSibling(target.getFileName() + ".left-out.jsonl");
        return Files.write(file, bad.lines().getBytes(StandardCharsets.UTF_8));
    }
}
