// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static dev.penstock.convert.ConversionSamples.content;
import static dev.penstock.convert.ConversionSamples.convert;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.OpenResources;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.SampleDatasets;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.pack.PackReader;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardSample;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import dev.penstock.tree.TreeWriter;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Records stay the same on their way through every pair of formats.
@ExtendWith(Seeds.class)
class ConversionRoundTripTest {
    /// Targets of every kind, each with its format.
    private static final List<List<String>> ROWS = List.of(
            List.of("rows.npy", "table"),
            List.of("folder", "table"),
            List.of("corpus", "shards"),
            List.of("records", "store"));

    /// Shards have at least one row.
    private static final List<List<String>> WITHOUT_ROWS =
            ROWS.stream().filter(target -> !target.contains("shards")).toList();

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    @AfterEach
    void nothingStaysOpenOrUnfinished() throws IOException {
        assertEquals(List.of(), OpenResources.under(folder));
        try (Stream<Path> all = Files.walk(folder)) {
            assertEquals(
                    List.of(),
                    all.filter(path -> path.toString().endsWith(".converting")).toList());
        }
    }

    @Test
    @Tag("full")
    void rowsStayTheSameThroughEveryPairOfFormats() throws IOException {
        int rounds = TestData.isLong() ? 20 : 1;
        for (long rowCount : List.of(0L, 1L, 500L + random.nextInt(40_000))) {
            for (int round = 0; round < rounds; round++) {
                Path dir = Files.createDirectory(folder.resolve("rows-" + rowCount + "-" + round));
                Path first = SampleDatasets.floats(dir.resolve("first.npy"), rowCount, 1 + random.nextInt(40), random);
                String expected = content(first);
                List<List<String>> formats = rowCount == 0 ? WITHOUT_ROWS : ROWS;
                for (List<String> from : formats) {
                    Path source = dir.resolve(from.getFirst());
                    convert(first, source, from.getLast());
                    for (List<String> to : formats) {
                        Path target = dir.resolve(from.getFirst() + "-" + to.getFirst());
                        Conversion.Report report = convert(source, target, to.getLast());
                        assertEquals(rowCount, report.records());
                        assertEquals(to.getLast(), report.format());
                        assertEquals(expected, content(target), source + " to " + target);
                    }
                }
            }
        }
    }

    @Test
    void shardsOfATargetHaveTheRowsThatWereAskedFor() throws IOException {
        Path source = SampleDatasets.floats(folder.resolve("rows.npy"), 10_001, 5, random);
        TargetOptions options = TargetOptions.DEFAULT.withShards(1000L, null);
        for (String format : List.of("table", "shards")) {
            Path target = folder.resolve(format);
            convert(source, target, format, options, RecordChoice.ALL);
            assertEquals(content(source), content(target));
            try (Stream<Path> files = Files.list(target)) {
                assertEquals(
                        11,
                        files.filter(file -> !file.toString().endsWith(".json")).count());
            }
        }
    }

    @Test
    void byteRecordsStayTheSameBetweenPacksAndStores() throws IOException {
        for (int recordCount : List.of(0, 1, 700)) {
            Path dir = Files.createDirectory(folder.resolve("records-" + recordCount));
            Path pack = SampleDatasets.pack(dir.resolve("a.a2pack"), recordCount, 3000, true, random);
            convert(pack, dir.resolve("b"), "store");
            convert(
                    dir.resolve("b"),
                    dir.resolve("c.a2pack"),
                    null,
                    TargetOptions.DEFAULT.withCompression("zstd", 3).withAlignment(64L),
                    RecordChoice.ALL);
            convert(pack, dir.resolve("d.a2pack"), null);
            convert(
                    dir.resolve("b"),
                    dir.resolve("e.store"),
                    null,
                    TargetOptions.DEFAULT.withCompression("lz4", null),
                    RecordChoice.ALL);
            for (String name : List.of("b", "c.a2pack", "d.a2pack", "e.store")) {
                assertEquals(content(pack), content(dir.resolve(name)), name);
            }
            try (PackReader kept = PackReader.open(dir.resolve("d.a2pack"));
                    StoreReader packed = StoreReader.open(dir.resolve("e.store"))) {
                assertEquals(recordCount == 0 ? null : "record-0", recordCount == 0 ? null : kept.name(0));
                assertEquals(
                        StoreCompression.LZ4, packed.storeFields().getFirst().compression());
            }
        }
    }

    @Test
    void largeRecordsBetweenSmallOnesAreKept() throws IOException {
        Path store = folder.resolve("large");
        try (StoreWriter writer = StoreWriter.create(store, List.of(StoreField.bytes("value")), StoreOptions.DEFAULT)) {
            for (int i = 0; i < 60; i++) {
                byte[] value = new byte[i % 20 == 7 ? 5 << 20 : random.nextInt(100)];
                random.nextBytes(value);
                writer.append(List.of(value));
            }
        }
        convert(store, folder.resolve("large.a2pack"), null);
        convert(folder.resolve("large.a2pack"), folder.resolve("again"), "store");
        assertEquals(content(store), content(folder.resolve("large.a2pack")));
        assertEquals(content(store), content(folder.resolve("again")));
    }

    @Test
    void recordsOfSeveralFieldsStayTheSameBetweenTablesAndStores() throws IOException {
        RowType type = RowType.of(DType.parse(
                "[('board', '<u8'), ('ev', '<f4', (4,)), ('raw', 'V5'), ('big', '>i4'), ('half', '<f2', (2, 3))]"));
        Path table = SampleDatasets.table(folder.resolve("steps.npy"), type, 2345, random);
        convert(table, folder.resolve("copy"), "table");
        convert(table, folder.resolve("steps.store"), null);
        convert(folder.resolve("steps.store"), folder.resolve("back.npy"), null);
        assertEquals(content(table), content(folder.resolve("copy")));
        try (TableReader copy = TableReader.open(folder.resolve("copy"))) {
            assertEquals(type, copy.rowType(), "byte orders and gaps are kept from table to table");
        }
        // Five bytes of one value are an array of bytes in a store.
        assertEquals(content(folder.resolve("steps.store")), content(folder.resolve("back.npy")));
        RecordChoice some = RecordChoice.ALL.withFields(List.of("ev", "board")).withCondition("big > 0");
        convert(table, folder.resolve("some.npy"), null, TargetOptions.DEFAULT, some);
        convert(table, folder.resolve("some"), "store", TargetOptions.DEFAULT, some);
        assertEquals(content(folder.resolve("some.npy")), content(folder.resolve("some")));
        try (Dataset chosen = Catalog.open(folder.resolve("some"))) {
            assertEquals(
                    List.of("ev", "board"),
                    chosen.fields().stream().map(field -> field.name()).toList());
            assertTrue(chosen.count() > 1000 && chosen.count() < 1345, chosen.count() + " of 2345 match");
        }
    }

    @Test
    void missingValuesOfAStoreStayMissingInAStore() throws IOException {
        Path store = SampleDatasets.store(folder.resolve("a"), 1500, random);
        convert(store, folder.resolve("b"), "store");
        assertEquals(content(store), content(folder.resolve("b")));
        try (StoreReader before = StoreReader.open(store);
                StoreReader after = StoreReader.open(folder.resolve("b"))) {
            assertEquals(before.storeFields(), after.storeFields());
            for (long i = 0; i < before.count(); i++) {
                assertEquals(before.get(i).isMissing(1), after.get(i).isMissing(1));
            }
            assertTrue(after.get(3).isMissing(1));
        }
    }

    @Test
    void textLosesItsPaddingInAStore() throws IOException {
        Path table = folder.resolve("names.npy");
        RowType type = RowType.of(DType.parse("[('s', 'S6'), ('u', '<U3')]"));
        try (TableWriter writer = TableWriter.create(table, type, TableWriter.Options.DEFAULT);
                Arena arena = Arena.ofConfined()) {
            MemorySegment row = arena.allocate(18);
            row.copyFrom(MemorySegment.ofArray("caf\u00e9".getBytes(StandardCharsets.UTF_8)));
            row.set(Layouts.U32, 6, 0x4e2d);
            writer.append(row);
        }
        convert(table, folder.resolve("names"), "store");
        try (StoreReader store = StoreReader.open(folder.resolve("names"))) {
            assertEquals("caf\u00e9", text(store.get(0).value(0)));
            assertEquals("\u4e2d", text(store.get(0).value(1)));
        }
    }

    private static String text(MemorySegment value) {
        return new String(value.toArray(Layouts.U8), StandardCharsets.UTF_8);
    }

    @Test
    void numbersAreConvertedToTheTypeThatWasAskedFor() throws IOException {
        RowType type = RowType.of(DType.parse("[('id', '<i8'), ('x', '<f8', (3,))]"));
        Path table = folder.resolve("numbers.npy");
        try (TableWriter writer = TableWriter.create(table, type, TableWriter.Options.DEFAULT);
                Arena arena = Arena.ofConfined()) {
            MemorySegment row = arena.allocate(32);
            row.set(Layouts.U64, 0, 7);
            row.set(Layouts.U64, 8, Double.doubleToLongBits(1.5));
            writer.append(row);
        }
        convert(
                table,
                folder.resolve("half"),
                "store",
                TargetOptions.DEFAULT.withCast(ElementType.F16),
                RecordChoice.ALL);
        RecordChoice ids = RecordChoice.ALL.withFields(List.of("id"));
        convert(table, folder.resolve("ids"), "shards", TargetOptions.DEFAULT.withCast(ElementType.F64), ids);
        try (StoreReader half = StoreReader.open(folder.resolve("half"));
                ShardReader rows = ShardReader.open(folder.resolve("ids"))) {
            assertEquals(
                    List.of(ElementType.I64, ElementType.F16),
                    half.fields().stream().map(field -> field.type()).toList());
            assertEquals(1.5, Elements.toDouble(ElementType.F16, half.get(0).value(1), 0));
            assertEquals(7.0, Elements.toDouble(ElementType.F64, rows.get(0).value(0), 0));
        }
    }

    @Test
    void oneFieldBecomesAPlainArrayOrAPack() throws IOException {
        Path store = SampleDatasets.store(folder.resolve("a"), 100, random);
        RecordChoice x = RecordChoice.ALL.withFields(List.of("x"));
        TargetOptions plain = TargetOptions.DEFAULT.withPlain(true);
        convert(store, folder.resolve("x.npy"), null, plain, x);
        convert(store, folder.resolve("x.a2pack"), null, plain, x);
        try (TableReader array = TableReader.open(folder.resolve("x.npy"));
                PackReader pack = PackReader.open(folder.resolve("x.a2pack"));
                StoreReader original = StoreReader.open(store)) {
            assertEquals("'<u2' (3,)", array.rowType().toString());
            for (long i = 0; i < 100; i++) {
                assertEquals(-1, original.get(i).value(0).mismatch(array.get(i).value(0)));
                assertEquals(-1, original.get(i).value(0).mismatch(pack.get(i).value(0)));
            }
        }
    }

    @Test
    void aTreeBecomesPathsAndValues() throws IOException {
        Path tree = folder.resolve("words.act");
        try (TreeWriter writer = TreeWriter.create(tree, TreeWriter.Options.DEFAULT)) {
            for (int i = 0; i < 40_000; i++) {
                writer.append(String.format("word-%06d", i).getBytes(StandardCharsets.UTF_8), i * 3L);
            }
        }
        Conversion.Report report = convert(tree, folder.resolve("words"), "store");
        assertEquals(40_000, report.records());
        try (StoreReader store = StoreReader.open(folder.resolve("words"))) {
            assertEquals("word-039999", text(store.get(39_999).value(0)));
            assertEquals(39_999 * 3L, store.get(39_999).value(1).get(Layouts.U64, 0));
        }
    }

    @Test
    void aSampleIsThatOfTheHashInEveryFormat() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 5000, 3, random);
        ShardSample sample = ShardSample.of(0.1, 7L);
        long[] ids = LongStream.range(0, 5000).filter(sample::has).toArray();
        convert(rows, folder.resolve("sample"), "store", TargetOptions.DEFAULT, RecordChoice.ALL.withSample(sample));
        try (Dataset all = Catalog.open(rows);
                Dataset some = Catalog.open(folder.resolve("sample"))) {
            assertEquals(ids.length, some.count());
            for (int i = 0; i < ids.length; i++) {
                assertEquals(-1, all.get(ids[i]).value(0).mismatch(some.get(i).value(0)));
            }
        }
    }

    @Test
    void datasetsOfSeveralFormatsAreOpenedAsOne() throws IOException {
        Path table = SampleDatasets.floats(folder.resolve("a.npy"), 4, 3, random);
        convert(table, folder.resolve("b"), "store");
        convert(table, folder.resolve("c"), "shards");
        List<Path> paths = List.of(folder.resolve("[bc]"), table);
        try (Dataset all = Catalog.open(Location.all(paths), Catalog.Options.DEFAULT)) {
            assertEquals(
                    List.of("b", "c", "a.npy"),
                    ((Concat) all)
                            .parts().stream()
                                    .map(part -> part.location().name())
                                    .toList());
            assertEquals(-1, all.get(3).value(0).mismatch(all.get(11).value(0)));
        }
    }

    @Test
    void deletedRecordsAreLeftOut() throws IOException {
        Path store = folder.resolve("deleted");
        try (StoreWriter writer = StoreWriter.create(store, List.of(StoreField.bytes("a")), StoreOptions.DEFAULT)) {
            for (byte i = 0; i < 5; i++) {
                writer.append(List.of(new byte[] {i}));
            }
            writer.delete(2);
        }
        convert(store, folder.resolve("left.a2pack"), null);
        try (PackReader left = PackReader.open(folder.resolve("left.a2pack"))) {
            assertEquals(4, left.count());
            assertArrayEquals(new byte[] {3}, left.get(2).value(0).toArray(Layouts.U8));
            assertFalse(left.hasDeleted());
        }
    }
}
