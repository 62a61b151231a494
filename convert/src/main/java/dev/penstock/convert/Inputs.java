// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/// Opens the input of a command: any source, standard input, or a pipe. A file of unknown content is CSV.
public final class Inputs {
    private static final String STANDARD_INPUT = "-";

    /// The first byte of a NumPy file, which does not occur in text.
    private static final int NUMPY_START = 0x93;

    private Inputs() {}

    /// Opens an input. The content decides what it is.
    ///
    /// @param input a path or an address, or `-` for standard input
    /// @param rules the rules for text, with the declared fields if there are any
    public static RecordSource open(String input, InputStream standardInput, TextRules rules) throws IOException {
        if (input.equals(STANDARD_INPUT)) {
            return openStream("standard input", new BufferedInputStream(standardInput), rules);
        }
        Location location = Location.parse(input);
        return isStream(location)
                ? openStream(input, new BufferedInputStream(Files.newInputStream(location.path())), rules)
                : open(location, input, rules);
    }

    /// Opens an input, and fits its records to the declared fields of the rules. Of streams, only standard
    /// input is read: a pipe in place of a file is an error, because it may wait for ever.
    ///
    /// @throws IllegalArgumentException when the records do not fit
    public static RecordSource openFitting(String input, InputStream standardInput, TextRules rules)
            throws IOException {
        return input.equals(STANDARD_INPUT)
                ? FittedRecords.of(open(input, standardInput, rules), rules.fields(), rules.isOneField())
                : Sources.openFitting(Location.parse(input), Catalog.Options.DEFAULT, rules);
    }

    private static boolean isStream(Location location) {
        return location.isLocal()
                && Files.exists(location.path())
                && !Files.isRegularFile(location.path())
                && !Files.isDirectory(location.path());
    }

    /// CSV with declared fields is read from the stream. Any other content is copied to a temporary file first,
    /// because it is read several times.
    private static RecordSource openStream(String name, BufferedInputStream stream, TextRules rules)
            throws IOException {
        stream.mark(1);
        int first = stream.read();
        stream.reset();
        boolean isJson = first == '{' || rules.isOneField() && first == '[';
        if (first != NUMPY_START && !isJson && rules.fields() != null) {
            return Sources.openCsv(stream, name, rules);
        }
        Path copy = Files.createTempFile("penstock-", ".input");
        try {
            copy.toFile().deleteOnExit();
            Files.copy(stream, copy, StandardCopyOption.REPLACE_EXISTING);
            Location location = Location.of(copy);
            RecordSource records = isJson
                    ? JsonRecords.open(new TextFile(location, ReaderOptions.DEFAULT, name), rules, BadRecords.REFUSED)
                    : open(location, name, rules);
            return new CopiedRecords(records, name, copy);
        } catch (Throwable e) {
            Files.deleteIfExists(copy);
            throw e;
        }
    }

    private static RecordSource open(Location location, String name, TextRules rules) throws IOException {
        boolean isUnknownFile = Candidate.at(location, ReaderOptions.DEFAULT).kind() == Candidate.Kind.FILE
                && !Sources.isKnown(location, Catalog.Options.DEFAULT);
        return isUnknownFile
                ? Sources.openCsv(location, name, Catalog.Options.DEFAULT, rules)
                : Sources.open(location, SourceOptions.DEFAULT.withText(rules));
    }

    /// The records of a temporary file, which is deleted when they are closed.
    private record CopiedRecords(RecordSource records, String name, Path copy) implements RecordSource {
        @Override
        public List<Field> fields() {
            return records.fields();
        }

        @Override
        public String fingerprint() throws IOException {
            return records.fingerprint();
        }

        @Override
        public Optional<Dataset> dataset() {
            return records.dataset();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            records.forEach(receiver, progress);
        }

        @Override
        public void close() throws IOException {
            records.close();
            Files.deleteIfExists(copy);
        }
    }
}
