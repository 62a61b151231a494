// SPDX-License-Identifier: Apache-2.0
package example.toy;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RowCollector;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReadStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// A source of conversions: the line `TOY LIST`, then a line `NAME NUMBER` for each record.
public final class ToySource implements SourceKind {
    private static final String START = "TOY LIST";
    private static final List<Field> FIELDS =
            List.of(Field.variable("name", ElementType.UTF8), Field.fixed("number", ElementType.I64));

    @Override
    public String description() {
        return "a toy list";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(START.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) {
        return new Records(location, options);
    }

    /// The records, which are read once for each pass.
    private record Records(Location location, SourceOptions options) implements RecordSource {
        @Override
        public String name() {
            return location.toString();
        }

        @Override
        public List<Field> fields() {
            return FIELDS;
        }

        private Disk.Readable file() throws IOException {
            return options.catalog().reading().storageOf(location).open(location);
        }

        /// An interrupted conversion continues only while this stays the same.
        @Override
        public String fingerprint() throws IOException {
            try (Disk.Readable file = file()) {
                return new Fingerprint("toy list 1")
                        .add(file.size())
                        .addSample(file.size(), file::read)
                        .text();
            }
        }

        @Override
        public Optional<Dataset> dataset() {
            return Optional.empty();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            try (BufferedReader lines =
                            new BufferedReader(new InputStreamReader(new ReadStream(file()), StandardCharsets.UTF_8));
                    RowCollector rows = new RowCollector(FIELDS, options.text().hasMissing(), receiver)) {
                long offset = lines.readLine().length() + 1L;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    add(line, offset, rows);
                    offset += line.getBytes(StandardCharsets.UTF_8).length + 1L;
                    progress.at(rows.recordCount(), 0);
                }
                rows.flush();
            }
        }

        private void add(String line, long offset, RowCollector rows) throws IOException {
            int space = line.lastIndexOf(' ');
            try {
                byte[] number = new byte[Long.BYTES];
                long value = Long.parseLong(line, space + 1, line.length(), 10);
                ByteBuffer.wrap(number).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
                rows.set(0, line.substring(0, Math.max(0, space)).getBytes(StandardCharsets.UTF_8));
                rows.set(1, number);
                rows.complete();
            } catch (NumberFormatException e) {
                // Throws, or leaves the record out and lists it.
                options.bad()
                        .add(new BadRecords.LeftOut(
                                location, offset, Reason.UNREADABLE, line, "number", "it is not a whole number"));
            }
        }

        @Override
        public void close() {
            // Each pass opens the file itself.
        }
    }
}
