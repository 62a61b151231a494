// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Arrays of random types that NumPy itself writes are read to the byte, and what is written of them is the file
/// that NumPy writes and reads.
@ExtendWith(Seeds.class)
@Tag("full")
class TableNumPyTest {
    private static final int CASE_COUNT = TestData.isLong() ? 4000 : 100;

    @TempDir
    static Path folder;

    private static Json made;
    private static List<Json> cases;

    @BeforeAll
    static void makeCases() throws IOException, InterruptedException {
        NumPy.require();
        NumPy.run(folder, "make", folder, Seeds.random().nextInt(Integer.MAX_VALUE), CASE_COUNT);
        made = Json.read(folder.resolve("cases.json"));
        cases = made.get("cases").items();
        assertEquals(CASE_COUNT, cases.size());
    }

    /// One of the arrays.
    private record Case(Json json) {
        Path file() {
            return folder.resolve(name() + ".npy");
        }

        String name() {
            return json.get("name").text();
        }

        byte[] rows() throws IOException {
            return Files.readAllBytes(folder.resolve(name() + ".rows"));
        }

        byte[] columns() throws IOException {
            return Files.readAllBytes(folder.resolve(name() + ".columns"));
        }

        Path ours(String ending) {
            return folder.resolve(name() + ".ours" + ending);
        }

        boolean hasBytes() {
            return !json.get("shape").items().stream().skip(1).anyMatch(length -> length.number() == 0);
        }
    }

    @FunctionalInterface
    private interface Check {
        void run(Case one) throws IOException;
    }

    private static void forEachCase(Check check) {
        for (Json json : cases) {
            try {
                check.run(new Case(json));
            } catch (Throwable e) {
                throw new AssertionError(
                        "case " + json.get("name").text() + ": "
                                + json.get("dtype").text() + " "
                                + json.get("shape").plain(),
                        e);
            }
        }
    }

    private static long[] all(TableReader table) {
        return LongStream.range(0, table.count()).toArray();
    }

    private static byte[] rows(TableReader table) throws IOException {
        byte[] rows = new byte[(int) (table.count() * table.rowType().size())];
        table.read(MemorySegment.ofArray(all(table)), MemorySegment.ofArray(rows));
        return rows;
    }

    @Test
    void rowsAreThoseOfNumPy() {
        forEachCase(one -> {
            for (Access access : Access.values()) {
                TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
                try (TableReader table = TableReader.open(one.file(), options);
                        TableReader sharded = TableReader.open(folder.resolve(one.name()), options)) {
                    assertEquals(one.json.get("rows").number(), table.count());
                    assertArrayEquals(one.rows(), rows(table));
                    assertArrayEquals(one.rows(), rows(sharded));
                    assertEquals(table.fingerprint(), sharded.fingerprint());
                    assertEquals(List.of(), sharded.verify(Progress.NONE).problems());
                }
            }
        });
        Figures.print("table, arrays of random types read and written as NumPy does", CASE_COUNT);
    }

    @Test
    void fortranOrderIsReadAsNumPyReadsIt() {
        int[] columnOrders = new int[1];
        forEachCase(one -> {
            Path file = folder.resolve(one.name() + ".fortran.npy");
            for (Access access : Access.values()) {
                TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
                try (TableReader table = TableReader.open(file, options);
                        TableReader byRows = TableReader.open(one.file(), options);
                        Batch batch = Batch.create(table.fields())) {
                    columnOrders[0] += table.facts().get("order").equals("Fortran") ? 1 : 0;
                    assertArrayEquals(one.rows(), rows(table));
                    table.gather(all(table), batch);
                    requireColumns(one, table, batch);
                    requireSameRows(byRows, table);
                    assertEquals(byRows.fingerprint(), table.fingerprint());
                    assertEquals(List.of(), table.verify(Progress.NONE).problems());
                }
            }
        });
        assertTrue(columnOrders[0] > 0, "no case was stored column by column");
    }

    /// One row at a time, in random order.
    private static void requireSameRows(TableReader expected, TableReader actual) throws IOException {
        Random random = Seeds.random();
        for (int i = 0; i < Math.min(20, expected.count()); i++) {
            long row = random.nextLong(expected.count());
            for (int field = 0; field < expected.fields().size(); field++) {
                assertEquals(
                        -1,
                        expected.get(row).value(field).mismatch(actual.get(row).value(field)));
            }
        }
    }

    @Test
    void appendingToAnArrayInFortranOrderWritesItInRowOrder() {
        forEachCase(one -> {
            Path file = folder.resolve(one.name() + ".fortran.npy");
            byte[] rows = one.rows();
            if (rows.length == 0) {
                return;
            }
            Path copy = Files.copy(file, folder.resolve(one.name() + ".extended.npy"));
            try (TableWriter writer = TableWriter.extend(copy, TableWriter.Options.DEFAULT)) {
                writer.append(MemorySegment.ofArray(rows));
            }
            try (TableReader table = TableReader.open(copy)) {
                byte[] twice = Arrays.copyOf(rows, 2 * rows.length);
                System.arraycopy(rows, 0, twice, rows.length, rows.length);
                assertArrayEquals(twice, rows(table));
                assertEquals("C", table.facts().get("order"));
            }
        });
    }

    @Test
    void fieldsAreThoseOfNumPyInLittleEndianOrder() {
        forEachCase(one -> {
            for (Access access : Access.values()) {
                TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
                try (TableReader table = TableReader.open(folder.resolve(one.name()), options);
                        Batch batch = Batch.create(table.fields())) {
                    table.gather(all(table), batch);
                    requireColumns(one, table, batch);
                }
            }
        });
    }

    private static void requireColumns(Case one, TableReader table, Batch batch) throws IOException {
        byte[] columns = one.columns();
        List<Json> expected = one.json.get("fields").items();
        assertEquals(expected.size(), table.fields().size());
        int start = 0;
        for (int f = 0; f < expected.size(); f++) {
            Field field = table.fields().get(f);
            byte[] name = HexFormat.of().parseHex(expected.get(f).get("name").text());
            assertArrayEquals(name, utf16(field.name()), field.name());
            int end = start + (int) expected.get(f).get("bytes").number();
            byte[] values = Arrays.copyOfRange(columns, start, end);
            assertArrayEquals(values, batch.column(f).values().toArray(ValueLayout.JAVA_BYTE), field.toString());
            requireViews(table, field, f, values);
            start = end;
        }
    }

    /// By hand, since an encoder takes half a character for none.
    private static byte[] utf16(String text) {
        byte[] bytes = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) text.charAt(i);
            bytes[2 * i + 1] = (byte) (text.charAt(i) >> 8);
        }
        return bytes;
    }

    /// One row by every other way there is.
    private static void requireViews(TableReader table, Field field, int fieldIndex, byte[] values) throws IOException {
        if (table.count() > 0) {
            long row = new Random(fieldIndex).nextLong(table.count());
            int size = (int) field.itemSize();
            byte[] value = Arrays.copyOfRange(values, (int) row * size, (int) (row + 1) * size);
            assertArrayEquals(value, table.get(row).value(fieldIndex).toArray(ValueLayout.JAVA_BYTE));
            assertArrayEquals(
                    value, table.column(field.name()).get(row).toArray(ValueLayout.JAVA_BYTE), field.toString());
        }
    }

    @Test
    void whatIsWrittenIsTheFileOfNumPyWhichNumPyReads() throws Exception {
        long[] files = new long[1];
        forEachCase(one -> {
            if (one.hasBytes()) {
                files[0] += write(one);
            }
        });
        assertEquals("compared " + files[0], NumPy.run(folder, "check", folder).strip());
    }

    /// Writes a case as rows in one file, as batches in one file, and as shards.
    private static int write(Case one) throws IOException {
        Random random = Seeds.random();
        TableWriter.Options options = TableWriter.Options.DEFAULT;
        try (TableReader table = TableReader.open(one.file())) {
            byte[] rows = one.rows();
            int rowSize = (int) table.rowType().size();
            try (TableWriter writer = TableWriter.create(one.ours(".npy"), table.rowType(), options)) {
                for (int at = 0; at < rows.length; ) {
                    int size = rowSize * (1 + random.nextInt(Math.min(100, (rows.length - at) / rowSize)));
                    writer.append(MemorySegment.ofArray(rows).asSlice(at, size));
                    at += size;
                }
            }
            assertEquals(-1, Files.mismatch(one.file(), one.ours(".npy")), "by rows");
            try (TableWriter writer = TableWriter.create(one.ours(".batch.npy"), table.rowType(), options)) {
                append(table, writer, random);
            }
            assertEquals(-1, Files.mismatch(one.file(), one.ours(".batch.npy")), "by batches");
            TableWriter.Options sharded = options.withShardRows(1 + random.nextInt(300));
            try (TableWriter writer = TableWriter.create(one.ours(""), table.rowType(), sharded)) {
                append(table, writer, random);
            }
            return 3;
        }
    }

    private static void append(TableReader table, TableWriter writer, Random random) throws IOException {
        try (Batch batch = Batch.create(table.fields())) {
            for (long row = 0; row < table.count(); ) {
                long limit = Math.min(table.count(), row + 1 + random.nextInt(200));
                table.gather(LongStream.range(row, limit).toArray(), batch);
                writer.append(batch);
                row = limit;
            }
        }
    }

    /// Names for people that no file has, Python objects, and a unit that is divided.
    private static final Set<String> REFUSED = Set.of(
            ("datetime64[ns] timedelta64[s] str bytes c longdouble g G p P n N ubyte short intc uintp byte int_ object"
                            + " O |O O8 M m bool_ str_ bytes_ void T m8[10ns/2]")
                    .split(" "));

    /// Types of other machines, the half-width float that NumPy has no name for, and names with a byte order.
    private static final Set<String> ACCEPTED = Set.of("f12", "c24", "<V2", ">int32", "<float64");

    @Test
    void aTypeIsReadAsNumPyReadsIt() {
        List<String> differences = new ArrayList<>();
        for (Json spelling : made.get("spellings").items()) {
            String text = spelling.get("text").text();
            String theirs = spelling.has("str") ? spelling.get("str").text() : "refused";
            String ours = ours(text);
            Set<String> known = ours.equals("refused") ? REFUSED : ACCEPTED;
            if (!ours.equals(theirs) && !known.contains(text)) {
                differences.add(text + ": NumPy " + theirs + ", here " + ours);
            }
        }
        assertEquals("", String.join("\n", differences));
    }

    private static String ours(String text) {
        try {
            // Keeps all spaces, as a header does.
            return ((DType.Scalar) DType.parse("'" + text + "'")).text();
        } catch (IllegalArgumentException e) {
            return "refused";
        }
    }

    /// The planted bug: one bit of one file.
    @Test
    void aFileThatDiffersInOneBitIsNoticed(@TempDir Path other) throws Exception {
        NumPy.run(other, "make", other, 1, 8);
        Json large = Json.read(other.resolve("cases.json")).get("cases").items().stream()
                .filter(one -> one.get("rows").number() > 0)
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(other.resolve(large.get("name").text() + ".npy"));
        Path ours = other.resolve(large.get("name").text() + ".ours.npy");
        Files.write(ours, bytes);
        assertEquals("compared 1", NumPy.run(other, "check", other).strip());
        bytes[bytes.length - 1] ^= 1;
        Files.write(ours, bytes);
        assertTrue(NumPy.run(other, "check", other).startsWith("differs: "));
    }

    @Test
    void theNumPyIsARealOne() {
        assertTrue(made.get("numpy").text().startsWith("2."), made.get("numpy").text());
    }
}
