// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Json;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Files that NumPy wrote are read as NumPy reads them, and written as NumPy wrote them.
class TableGoldenTest {
    private static final Path FOLDER = TestData.path("table");

    @TempDir
    Path folder;

    private static Json expected() throws IOException {
        return Json.read(FOLDER.resolve("expected.json"));
    }

    private static Stream<Named<Json>> files() throws IOException {
        return expected().get("files").items().stream()
                .map(file -> Named.of(file.get("file").text(), file));
    }

    private static boolean isColumnOrder(Json file) {
        return file.get("fortran_order").isTrue() && file.get("shape").items().size() > 1;
    }

    private static Stream<Named<Json>> hostile() throws IOException {
        return expected().get("hostile").items().stream()
                .map(file -> Named.of(file.get("file").text(), file));
    }

    @ParameterizedTest
    @MethodSource("files")
    void theHeaderSaysWhatNumPyReadsInIt(Json file) throws IOException {
        Path path = FOLDER.resolve(file.get("file").text());
        try (TableReader table = TableReader.open(path)) {
            List<Long> shape =
                    file.get("shape").items().stream().map(Json::number).toList();
            assertEquals(shape.isEmpty() ? 1 : shape.getFirst(), table.count());
            assertEquals(file.get("version").get(0).number(), table.version());
            assertEquals(
                    shape.isEmpty() ? shape : shape.subList(1, shape.size()),
                    table.rowType().shape());
            assertEquals(file.get("itemsize").number(), table.rowType().item().itemSize());
            if (file.has("fields")) {
                requireMembers(
                        file.get("fields"), (DType.Struct) table.rowType().item());
            } else if (!file.get("dtype_str").text().contains("V")) {
                assertEquals(
                        file.get("dtype_str").text(),
                        ((DType.Scalar) table.rowType().item()).text());
            }
        }
    }

    private static void requireMembers(Json expected, DType.Struct struct) {
        assertEquals(expected.items().size(), struct.members().size());
        for (int i = 0; i < struct.members().size(); i++) {
            Json field = expected.get(i);
            DType.Member member = struct.members().get(i);
            assertEquals(field.get("name").text(), member.name());
            assertEquals(field.get("offset").number(), member.offset());
            assertEquals(field.get("shape").items().stream().map(Json::number).toList(), member.shape());
            assertEquals(field.has("title") ? field.get("title").text() : null, member.title());
            if (field.has("fields")) {
                requireMembers(field.get("fields"), (DType.Struct) member.type());
                assertEquals(field.get("itemsize").number(), member.type().itemSize());
            } else {
                assertEquals(field.get("format").text(), ((DType.Scalar) member.type()).text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void theRowsAreThoseOfNumPy(Json file) throws Exception {
        for (Access access : Access.values()) {
            Path path = FOLDER.resolve(file.get("file").text());
            try (TableReader table = TableReader.open(path, TableReader.Options.DEFAULT.withAccess(access))) {
                byte[] rows = new byte[(int) (table.count() * table.rowType().size())];
                long[] all = LongStream.range(0, table.count()).toArray();
                table.read(MemorySegment.ofArray(all), MemorySegment.ofArray(rows));
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(rows);
                assertEquals(file.get("c_order_sha256").text(), HexFormat.of().formatHex(digest));
            }
        }
    }

    /// The first items, value for value, out of columns and out of rows.
    @ParameterizedTest
    @MethodSource("files")
    void theValuesAreThoseOfNumPy(Json file) throws IOException {
        Path path = FOLDER.resolve(file.get("file").text());
        try (TableReader table = TableReader.open(path);
                Batch batch = Batch.create(table.fields())) {
            // The two files with very wide records have no values listed.
            List<Json> first = file.has("first") ? file.get("first").items() : List.of();
            List<Long> shape = table.rowType().shape();
            long itemsPerRow = shape.stream().reduce(1L, (a, b) -> a * b);
            for (int i = 0; i < first.size(); i++) {
                long row = i / itemsPerRow;
                table.gather(new long[] {row}, batch);
                for (int f = 0; f < table.fields().size(); f++) {
                    Field field = table.fields().get(f);
                    MemorySegment value = batch.column(f).value(0);
                    assertArrayEquals(
                            value.toArray(ValueLayout.JAVA_BYTE),
                            table.get(row).value(f).toArray(ValueLayout.JAVA_BYTE));
                    List<String> values = new ArrayList<>();
                    flatten(member(first.get(i), field.name()), values);
                    requireElements(values, field, value, i % itemsPerRow * values.size());
                }
            }
        }
    }

    private static Json member(Json item, String name) {
        return item.isObject() && !item.has("hex") && !item.has("bits") ? collect(item, name) : item;
    }

    /// `q.t` of `{"q": [{"t": 1}, {"t": 2}]}`, as a list.
    private static Json collect(Json item, String name) {
        if (name.isEmpty()) {
            return item;
        }
        int dot = name.indexOf('.');
        String first = dot < 0 ? name : name.substring(0, dot);
        String rest = dot < 0 ? "" : name.substring(dot + 1);
        if (item.isArray()) {
            return Json.of(item.items().stream().map(one -> collect(one, name)).toList());
        }
        return collect(item.get(first), rest);
    }

    private static void flatten(Json value, List<String> into) {
        if (value.isArray()) {
            value.items().forEach(item -> flatten(item, into));
        } else if (value.has("bits")) {
            into.add("bits " + value.get("bits").text());
        } else if (value.isObject()) {
            into.add("hex " + value.get("hex").text());
        } else {
            into.add(value.plain());
        }
    }

    private static void requireElements(List<String> expected, Field field, MemorySegment value, long firstElement) {
        // Complex numbers are two values for one element.
        long size = field.type().isComplex() ? field.elementSize() / 2 : field.elementSize();
        for (int i = 0; i < expected.size(); i++) {
            long offset = (firstElement + i) * size;
            String text = expected.get(i);
            byte[] bytes = value.asSlice(offset, size).toArray(ValueLayout.JAVA_BYTE);
            if (text.startsWith("bits ")) {
                assertEquals(text.substring(5), HexFormat.of().formatHex(reversed(bytes)));
            } else if (text.startsWith("hex ")) {
                byte[] wanted = HexFormat.of().parseHex(text.substring(4));
                assertArrayEquals(Arrays.copyOf(wanted, bytes.length), bytes);
            } else if (field.type().isText()) {
                assertEquals(text, Elements.toText(field.type(), value, offset, size));
            } else if (text.matches("-?\\d+")) {
                assertEquals(text, plain(field, value, offset));
            } else if (text.equals("NaT")) {
                assertEquals(Long.MIN_VALUE, Elements.toLong(field.type(), value, offset));
            } else if (text.matches("True|False|true|false")) {
                assertEquals(text.toLowerCase().startsWith("t") ? 1 : 0, Elements.toLong(field.type(), value, offset));
            }
        }
    }

    private static String plain(Field field, MemorySegment value, long offset) {
        long number = Elements.toLong(field.type(), value, offset);
        return field.type().toString().startsWith("u") ? Long.toUnsignedString(number) : Long.toString(number);
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    /// What NumPy saved is written again to the byte: all but the files made by hand, and those of another version
    /// or order than NumPy chooses.
    @ParameterizedTest
    @MethodSource("files")
    void writingTheRowsGivesTheFileOfNumPy(Json file) throws IOException {
        String name = file.get("file").text();
        Path path = FOLDER.resolve(name);
        boolean isUsual = !name.matches(
                "hand_.*|v[23].npy|fortran_[23]d.npy|rec_2d_fortran.npy|scalar.*|empty_inner.npy|f8_e4m3fn.npy");
        if (!isUsual) {
            return;
        }
        try (TableReader table = TableReader.open(path)) {
            MemorySegment rows = MemorySegment.ofArray(
                    new byte[(int) (table.count() * table.rowType().size())]);
            table.read(MemorySegment.ofArray(LongStream.range(0, table.count()).toArray()), rows);
            Path copy = folder.resolve(name);
            try (TableWriter writer = TableWriter.create(copy, table.rowType(), TableWriter.Options.DEFAULT)) {
                writer.append(rows);
            }
            assertEquals(-1, Files.mismatch(path, copy), name);
        }
    }

    @Test
    void fortranOrderIsReadAndMentionedWhereItMatters() throws IOException {
        List<Named<Json>> files =
                files().filter(file -> isColumnOrder(file.getPayload())).toList();
        assertEquals(3, files.size());
        for (Named<Json> file : files) {
            try (TableReader table = TableReader.open(FOLDER.resolve(file.getName()))) {
                assertEquals("Fortran", table.facts().get("order"));
                assertTrue(table.remarks().getFirst().contains("write the rows to a new table"));
            }
        }
        try (TableReader table = TableReader.open(FOLDER.resolve("fortran_1d.npy"))) {
            assertEquals("C", table.facts().get("order"));
            assertEquals(List.of(), table.remarks());
        }
    }

    /// What NumPy refuses is refused, and so are the two that it takes although they are nonsense.
    @ParameterizedTest
    @MethodSource("hostile")
    void aHostileFileIsRefused(Json file) {
        Path path = FOLDER.resolve(file.get("file").text());
        for (Access access : Access.values()) {
            TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
            DatasetException e = assertThrows(DatasetException.class, () -> TableReader.open(path, options));
            assertEquals(Location.of(path), e.file());
            assertTrue(e.getMessage().length() < 500, e.getMessage());
        }
    }

    @Test
    void objectsAndPicklesAreRefusedByName() {
        Map<String, String> words = Map.of(
                "hostile/object.npy", "Python objects",
                "hostile/object_field.npy", "Python objects",
                "hostile/pickle.npy", "Python pickle");
        words.forEach((name, word) -> {
            DatasetException e = assertThrows(DatasetException.class, () -> TableReader.open(FOLDER.resolve(name)));
            assertTrue(e.getMessage().contains(word), e.getMessage());
        });
    }
}
