// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The smallest source and target of another module: a file of the line `TOY` and lines of `NUMBER SQUARE`.
public final class ToyText implements SourceKind {
    private static final String START = "TOY\n";
    private static final List<Field> FIELDS =
            List.of(Field.fixed("number", ElementType.I64), Field.fixed("square", ElementType.I64));

    @Override
    public String description() {
        return "a toy file";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(START.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) {
        List<String> chosen = options.choice().fields();
        boolean isWhole = chosen.isEmpty() || options.choice().condition() != null;
        return new ToyRecords(
                location.path(),
                isWhole
                        ? FIELDS
                        : FIELDS.stream()
                                .filter(field -> chosen.contains(field.name()))
                                .toList());
    }

    record ToyRecords(Path path, List<Field> fields) implements RecordSource {
        @Override
        public String name() {
            return path.toString();
        }

        @Override
        public String fingerprint() throws IOException {
            return "toy " + Files.size(path);
        }

        @Override
        public Optional<Dataset> dataset() {
            return Optional.empty();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            try (RowCollector rows = new RowCollector(fields, false, receiver)) {
                List<String> lines = Files.readAllLines(path);
                for (String line : lines.subList(1, lines.size())) {
                    String[] values = line.split(" ");
                    for (int i = 0; i < fields.size(); i++) {
                        ElementParser.parse(fields.get(i), values[FIELDS.indexOf(fields.get(i))], rows.fixed(i), 0);
                    }
                    rows.complete();
                }
                rows.flush();
            }
        }

        @Override
        public void close() {}
    }

    /// Writes such files.
    public static final class Writing implements Target {
        @Override
        public String format() {
            return "toy";
        }

        @Override
        public List<String> extensions() {
            return List.of(".toy");
        }

        @Override
        public boolean isResumable(Path target) {
            return false;
        }

        @Override
        public List<Field> fields(Job job) {
            return job.fields();
        }

        @Override
        public RecordWriter open(Path path, Job job) {
            return new ToyWriter(path, new ArrayList<>());
        }
    }

    private record ToyWriter(Path path, List<String> lines) implements RecordWriter {
        @Override
        public long count() {
            return lines.size();
        }

        @Override
        public void append(long[] indices, Batch batch) {
            for (int row = 0; row < batch.rowCount(); row++) {
                long number = batch.column(0).value(row).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                long square = batch.column(1).value(row).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                // A defect, so that the comparison has one to find.
                lines.add(number + " " + (number == 666 ? 0 : square));
            }
        }

        @Override
        public void finish() throws IOException {
            Files.writeString(path, START + String.join("\n", lines));
        }

        @Override
        public void close() {}
    }
}
