// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.file.Location;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Streams of records: what is written is read, and a stream that ends early or has mistakes is refused.
class StreamedRecordsTest {
    private static final Location SOURCE = Location.parse("source");
    private static final String HEAD = "{\"name\": \"toy\", \"fingerprint\": \"1\", \"count\": 3, \"fields\": ["
            + "{\"name\": \"x\", \"type\": \"i16\", \"elementSize\": 2, \"shape\": [], \"variable\": false},"
            + "{\"name\": \"t\", \"type\": \"utf8\", \"elementSize\": 1, \"shape\": [], \"variable\": true}]}";

    private record Bytes(byte[] bytes) implements StreamedRecords.Program {
        @Override
        public InputStream start() {
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public String explanation() {
            return "because of the test";
        }

        @Override
        public void stop() {}
    }

    private static byte[] message(String json, byte[]... columns) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        bytes.writeBytes(little(4).putInt(0, text.length).array());
        bytes.writeBytes(text);
        for (byte[] column : columns) {
            bytes.writeBytes(column);
        }
        return bytes.toByteArray();
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] longs(long... values) {
        ByteBuffer bytes = little(8 * values.length);
        Arrays.stream(values).forEach(bytes::putLong);
        return bytes.array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    private static byte[] good() {
        return joined(
                StreamedRecords.MAGIC,
                message(HEAD),
                message(
                        "{\"rows\": 2, \"columns\": [[4, 0, 0], [3, 24, 2]]}",
                        new byte[] {1, 0, 2, 0},
                        "abc".getBytes(StandardCharsets.US_ASCII),
                        longs(0, 3, 3),
                        new byte[] {0, 1}),
                message("{\"rows\": 1, \"columns\": [[2, 0, 0], [0, 16, 0]]}", new byte[] {3, 0}, longs(0, 0)),
                message("{\"end\": 3}"));
    }

    private static List<String> read(byte[] stream) throws IOException {
        List<String> rows = new ArrayList<>();
        try (RecordSource source = StreamedRecords.open(SOURCE, new Bytes(stream))) {
            source.forEach(
                    (indices, batch) -> {
                        for (long row = 0; row < batch.rowCount(); row++) {
                            byte[] text = batch.column(1).value(row).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                            rows.add(batch.column(0)
                                            .value(row)
                                            .get(java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED, 0)
                                    + (batch.column(1).isMissing(row)
                                            ? " missing"
                                            : " " + new String(text, StandardCharsets.US_ASCII)));
                        }
                    },
                    Progress.NONE);
        }
        return rows;
    }

    @Test
    void recordsAreReadAsTheyWereWritten() throws IOException {
        assertEquals(List.of("1 abc", "2 missing", "3 "), read(good()));
    }

    @Test
    void aSourceIsReadAgainFromItsBeginning() throws IOException {
        try (RecordSource source = StreamedRecords.open(SOURCE, new Bytes(good()))) {
            for (int round = 0; round < 2; round++) {
                long[] count = new long[1];
                source.forEach((indices, batch) -> count[0] += batch.rowCount(), Progress.NONE);
                assertEquals(3, count[0]);
            }
        }
    }

    @Test
    void truncationAtEveryByteIsRefused() {
        byte[] whole = good();
        for (int size = 0; size < whole.length; size++) {
            byte[] part = Arrays.copyOf(whole, size);
            IOException refused = assertThrows(IOException.class, () -> read(part), "after " + size + " bytes");
            assertTrue(refused.getMessage().contains("because of the test"), refused.getMessage());
        }
    }

    @Test
    void everyFlippedBitIsReadOrRefused() {
        byte[] whole = good();
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                read(flipped);
            } catch (IOException | IllegalArgumentException | UncheckedIOException e) {
                assertTrue(e.getMessage() != null, "bit " + bit);
            } catch (ArithmeticException e) {
                assertTrue(e.getMessage().contains("overflow"), "bit " + bit);
            }
        }
    }

    @Test
    void offsetsThatFallAreRefused() {
        for (long[] offsets : new long[][] {{0, 3, 2}, {1, 3, 3}, {0, 1, 2}, {0, -1, 3}}) {
            byte[] stream = joined(
                    StreamedRecords.MAGIC,
                    message(HEAD),
                    message(
                            "{\"rows\": 2, \"columns\": [[4, 0, 0], [3, 24, 0]]}",
                            new byte[4],
                            new byte[3],
                            longs(offsets)),
                    message("{\"end\": 2}"));
            IOException refused = assertThrows(IOException.class, () -> read(stream), Arrays.toString(offsets));
            assertTrue(refused.getMessage().contains("invalid offsets"), refused.getMessage());
        }
    }

    @Test
    void failuresKeepTheirKind() {
        for (String kind : List.of("caller", "data", "disk", "ended")) {
            byte[] stream = joined(
                    StreamedRecords.MAGIC,
                    message(HEAD),
                    message("{\"failure\": \"" + kind + "\", \"message\": \"it went wrong\"}"));
            Class<? extends Exception> expected = switch (kind) {
                case "caller" -> IllegalArgumentException.class;
                case "data" -> DatasetException.Corrupt.class;
                case "ended" -> IllegalStateException.class;
                default -> IOException.class;
            };
            Exception thrown = assertThrows(Exception.class, () -> read(stream));
            assertInstanceOf(expected, thrown, kind);
            assertTrue(thrown.getMessage().contains("it went wrong"), thrown.getMessage());
        }
    }
}
