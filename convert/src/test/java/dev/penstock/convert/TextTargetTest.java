// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static dev.penstock.convert.ConversionSamples.content;
import static dev.penstock.convert.ConversionSamples.convert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Records become lines of text, and these the same records again. A conversion compares them itself.
@ExtendWith(Seeds.class)
class TextTargetTest {
    private static final int NAN = 0x7FC0_0000;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Values that are hard to keep in text, with missing ones.
    private Path hard() throws IOException {
        Path store = folder.resolve("hard");
        List<StoreField> fields = List.of(
                StoreField.bytes("raw"),
                field("words", "utf8", null),
                field("x", "f32", List.of(2L)),
                field("big", "u64", List.of()),
                field("z", "c64", List.of()));
        byte[] nan = numbers(NAN, Float.floatToIntBits(-0.0f));
        byte[] infinite = numbers(Float.floatToIntBits(Float.NEGATIVE_INFINITY), 1);
        byte[] all = new byte[Long.BYTES];
        Arrays.fill(all, (byte) 255);
        try (StoreWriter writer = StoreWriter.create(store, fields, StoreOptions.DEFAULT)) {
            writer.append(Arrays.asList(new byte[] {0, -1}, bytes("a,\"b\"\r\nc\u0000é"), nan, all, infinite));
            writer.append(Arrays.asList(new byte[0], new byte[0], infinite, new byte[Long.BYTES], nan));
            writer.append(Arrays.asList(null, null, null, null, null));
            writer.append(Arrays.asList(bytes("x"), bytes(" [1] "), infinite, all, infinite));
        }
        return store;
    }

    private static StoreField field(String name, String type, List<Long> shape) {
        return new StoreField(name, type, shape, StoreCompression.RAW);
    }

    private static byte[] numbers(int first, int second) {
        byte[] value = new byte[2 * Integer.BYTES];
        MemorySegment.ofArray(value).set(Layouts.U32, 0, first);
        MemorySegment.ofArray(value).set(Layouts.U32, Integer.BYTES, second);
        return value;
    }

    @Test
    void everyValueIsKeptAsText() throws IOException {
        Path store = hard();
        for (String name : List.of("hard.jsonl", "hard.csv", "hard.tsv")) {
            Conversion.Report report = convert(store, folder.resolve(name), null);
            assertEquals(4, report.records(), name);
        }
        List<String> lines = Files.readAllLines(folder.resolve("hard.jsonl"));
        assertEquals(
                "{\"raw\":\"AP8=\",\"words\":\"a,\\\"b\\\"\\r\\nc\\u0000é\",\"x\":[\"NaN\",-0.0],"
                        + "\"big\":18446744073709551615,\"z\":[\"-Infinity\",1.4E-45]}",
                lines.getFirst());
        assertEquals("{\"raw\":null,\"words\":null,\"x\":null,\"big\":null,\"z\":null}", lines.get(2));
        String csv = Files.readString(folder.resolve("hard.csv"));
        assertTrue(csv.startsWith("raw,words,x[0],x[1],big,z\n00ff,\"a,\"\"b\"\"\r\nc"), csv);
        assertTrue(csv.contains("\n\"\",\"\",-Infinity,1.4E-45,0,NaN-0.0j\n,,,,,\n"), csv);
        assertTrue(Files.readString(folder.resolve("hard.tsv")).startsWith("raw\twords\tx[0]"), csv);
    }

    @Test
    void numbersOfATableComeBackFromText() throws IOException {
        RowType type = RowType.of(DType.parse("[('d', '<f8'), ('f', '<f4'), ('i', '<i8'), ('b', '?'), ('s', '<U2')]"));
        Path table = folder.resolve("rows.npy");
        try (TableWriter writer = TableWriter.create(table, type, TableWriter.Options.DEFAULT);
                Arena arena = Arena.ofConfined()) {
            MemorySegment row = arena.allocate(29);
            for (int i = 0; i < 5000; i++) {
                double number = Double.longBitsToDouble(random.nextLong());
                float single = Float.intBitsToFloat(random.nextInt());
                row.set(Layouts.U64, 0, Double.doubleToLongBits(number));
                row.set(Layouts.U32, 8, Float.floatToIntBits(single));
                row.set(Layouts.U64, 12, random.nextLong());
                row.set(Layouts.U8, 20, (byte) random.nextInt(2));
                row.set(Layouts.U32, 21, 'a' + random.nextInt(600));
                writer.append(row);
            }
        }
        convert(table, folder.resolve("store"), "store");
        for (String name : List.of("rows.jsonl", "rows.csv")) {
            convert(table, folder.resolve(name), null);
            Path again = folder.resolve(name + ".txt");
            convert(folder.resolve(name), folder.resolve(name + ".store"), "store");
            convert(folder.resolve("store"), again, name.substring(5));
            assertEquals(-1, Files.mismatch(folder.resolve(name), again));
        }
        assertEquals(content(folder.resolve("rows.jsonl.store")), content(folder.resolve("rows.csv.store")));
    }

    @Test
    void listsOfNumbersAreCellsOfCsv() throws IOException {
        Path lines = Files.writeString(folder.resolve("a.jsonl"), "{\"n\":[1,2]}\n{\"n\":[]}\n{}\n{\"n\":[3]}\n");
        convert(lines, folder.resolve("a"), "store");
        convert(folder.resolve("a"), folder.resolve("a.csv"), null);
        assertEquals("n\n\"[1,2]\"\n[]\n\n[3]\n", Files.readString(folder.resolve("a.csv")));
    }

    @Test
    void whatTextCannotHoldIsRefused() throws IOException {
        Path store = folder.resolve("bad");
        List<StoreField> fields = List.of(field("words", "utf8", null), field("x", "f32", List.of(2L)));
        try (StoreWriter writer = StoreWriter.create(store, fields, StoreOptions.DEFAULT)) {
            writer.append(List.of(bytes("a"), numbers(0, 0)));
            writer.append(List.of(bytes("a"), numbers(0, NAN | 1 << 31)));
        }
        refuse("record 1: the value of field x has a NaN with a sign", store, "bad.csv");
        refuse("record 1: the value of field x has a NaN with a sign", store, "bad.jsonl");
        refuse("has the name of a packed file", store, "bad.csv.gz");
        Path names = Files.writeString(folder.resolve("names.jsonl"), "{\" a\":1}\n");
        refuse("spaces around it", names, "names.csv");
        convert(names, folder.resolve("names2.jsonl"), null);
    }

    private void refuse(String message, Path source, String target) {
        Path path = folder.resolve(target);
        String format = target.contains("jsonl") ? "jsonl" : "csv";
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> convert(source, path, format));
        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertFalse(Files.exists(path));
    }
}
