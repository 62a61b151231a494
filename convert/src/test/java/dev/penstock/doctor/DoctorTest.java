// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Progress;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.IndexSet;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.query.Scan;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The doctor finds what is planted, names the records, and finds nothing in good data.
class DoctorTest {
    private static final DoctorOptions OPTIONS = DoctorOptions.DEFAULT;

    @TempDir
    Path folder;

    private Path lines(String name, Stream<String> lines) throws IOException {
        return Files.write(folder.resolve(name), lines.toList());
    }

    private Path floats(String name, float... values) throws IOException {
        Path path = folder.resolve(name);
        TableWriter writer = TableWriter.create(path, RowType.of(DType.parse("<f4")), TableWriter.Options.DEFAULT);
        writer.append(MemorySegment.ofArray(values));
        writer.close();
        return path;
    }

    private Diagnosis examine(Path path, DoctorOptions options) throws IOException {
        return examine(path, null, options);
    }

    private Diagnosis examine(Path path, Path other, DoctorOptions options) throws IOException {
        try (RecordSource source = Sources.open(path, SourceOptions.DEFAULT);
                RecordSource against = other == null ? null : Sources.open(other, SourceOptions.DEFAULT)) {
            return Doctor.examine(source, against, options.withFolder(folder), Progress.NONE);
        }
    }

    private static Finding only(Diagnosis diagnosis, Check check) {
        List<Finding> found = diagnosis.findings().stream()
                .filter(finding -> finding.check() == check)
                .toList();
        assertEquals(1, found.size(), check + " in " + diagnosis.description());
        return found.getFirst();
    }

    private static Set<Check> checks(Diagnosis diagnosis) {
        Set<Check> checks = EnumSet.noneOf(Check.class);
        diagnosis.findings().forEach(finding -> checks.add(finding.check()));
        return checks;
    }

    @Test
    void goodDataHasNoFindings() throws IOException {
        Path path = lines(
                "good.jsonl",
                IntStream.range(0, 500)
                        .mapToObj(i -> "{\"id\": \"k%d\", \"x\": %d.5, \"text\": \"some text %d\", \"label\": %d}"
                                .formatted(i, i, i, i % 5)));
        Diagnosis diagnosis = examine(path, OPTIONS);
        assertEquals(List.of(), diagnosis.findings(), diagnosis.description().toString());
        assertEquals(500, diagnosis.recordCount());
        assertEquals(0, diagnosis.badCount());
    }

    @Test
    void everyPlantedProblemOfTextIsNamed() throws IOException {
        Path path = lines("planted.jsonl", IntStream.range(0, 1000).mapToObj(i -> {
            String text = i == 55 ? "w".repeat(100_000) : i == 60 ? "" : "hello ".repeat(3 + i % 5);
            return ("{\"id\": \"k%d\", \"x\": %s, \"twin\": %d, \"again\": %d, \"one\": 1, \"text\": \"%s\"}")
                    .formatted(i == 700 ? 3 : i, i == 9 ? "null" : i + ".5", i, i, text);
        }));
        Diagnosis diagnosis = examine(path, OPTIONS);
        assertEquals(
                EnumSet.of(
                        Check.NULLS, Check.CONSTANT, Check.DUPLICATE_COLUMNS, Check.EMPTY, Check.LENGTHS, Check.KEYS),
                checks(diagnosis));
        assertEquals(List.of(9L), only(diagnosis, Check.NULLS).records());
        assertEquals("one", only(diagnosis, Check.CONSTANT).field());
        assertEquals("again", only(diagnosis, Check.DUPLICATE_COLUMNS).field());
        assertEquals(List.of(60L), only(diagnosis, Check.EMPTY).records());
        assertEquals(List.of(55L), only(diagnosis, Check.LENGTHS).records());
        assertEquals(List.of(700L), only(diagnosis, Check.KEYS).records());
        assertEquals(4, diagnosis.badCount());
    }

    @Test
    void nanAndInfinityAreFoundInAllFloatingTypes() throws IOException {
        Path path = floats("f.npy", 1, Float.NaN, 2, Float.NEGATIVE_INFINITY, 3, Float.MAX_VALUE, -0f);
        for (String type : List.of("f16", "bf16", "f64", "f32")) {
            Path target = folder.resolve(type + ".store");
            try (RecordSource source = Sources.open(path, SourceOptions.DEFAULT)) {
                TargetOptions options = TargetOptions.DEFAULT.withCast(dev.penstock.store.StoreTypes.of(type));
                Conversion.of(source, target, "store", options).run(Progress.NONE, Progress.NONE);
            }
            Diagnosis diagnosis = examine(target, OPTIONS.withChecks(EnumSet.of(Check.NAN, Check.INFINITY)));
            assertEquals(List.of(1L), only(diagnosis, Check.NAN).records(), type);
            boolean isRounded = type.equals("f16") || type.equals("bf16");
            assertEquals(
                    isRounded ? List.of(3L, 5L) : List.of(3L),
                    only(diagnosis, Check.INFINITY).records(),
                    type);
        }
    }

    @Test
    void duplicatesAreExactWhateverTheMemory() throws IOException {
        Random random = new Random(7);
        int count = 60_000;
        float[] values = new float[count];
        Set<Long> expected = new TreeSet<>();
        Map<Float, Integer> first = new java.util.HashMap<>();
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(20) == 0 && i > 0 ? values[random.nextInt(i)] : i + 0.5f;
            if (first.putIfAbsent(values[i], i) != null) {
                expected.add((long) i);
            }
        }
        Path path = floats("many.npy", values);
        DoctorOptions small = OPTIONS.withChecks(EnumSet.of(Check.DUPLICATES)).withMemoryBytes(1 << 20);
        Diagnosis diagnosis = examine(path, small);
        assertEquals(expected.size(), only(diagnosis, Check.DUPLICATES).count());
        diagnosis.write(folder.resolve("bad.npy"), false);
        IndexSet written = written("bad.npy");
        assertEquals(expected.size(), written.count());
        expected.forEach(index -> assertTrue(written.has(index), "record " + index));
        assertEquals(List.of(), leftovers());
    }

    private IndexSet written(String name) throws IOException {
        IndexSet indices = new IndexSet();
        try (TableReader table = TableReader.open(folder.resolve(name))) {
            Scan.of(table).forEach(chunk -> {
                for (long row = 0; row < chunk.indices().length; row++) {
                    indices.add(Elements.toLong(
                            ElementType.I64, chunk.batch().column(0).values(), row * Long.BYTES));
                }
            });
        }
        return indices;
    }

    private List<String> leftovers() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains("penstock"))
                    .toList();
        }
    }

    @Test
    void recordsOfBothSidesAreShared() throws IOException {
        Path train = lines("train.jsonl", Stream.of("{\"a\": 1, \"t\": \"x\"}", "{\"a\": 2, \"t\": \"y\"}"));
        Path test = lines("test.csv", Stream.of("t,a", "y,2", "z,3"));
        Diagnosis diagnosis = examine(train, test, OPTIONS);
        assertEquals(List.of(1L), only(diagnosis, Check.SHARED).records());
        Path other = lines("other.csv", Stream.of("t,a", "y,2.5"));
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> examine(train, other, OPTIONS));
        assertTrue(refused.getMessage().contains("field a is i64"), refused.getMessage());
        assertEquals(
                List.of(1L),
                only(examine(train, other, OPTIONS.withFields(List.of("t"))), Check.SHARED)
                        .records());
    }

    @Test
    void copiesInATableAndAStoreAreEqual() throws IOException {
        Path text = lines("rows.jsonl", Stream.of("{\"a\": \"short\"}", "{\"a\": \"a longer text\"}"));
        for (String format : List.of("table", "store")) {
            try (RecordSource source = Sources.open(text, SourceOptions.DEFAULT)) {
                boolean isTable = format.equals("table");
                RecordSource fitting = isTable
                        ? Sources.open(
                                text,
                                SourceOptions.DEFAULT.withText(
                                        dev.penstock.convert.TextRules.of(dev.penstock.convert.Targets.named("table")
                                                .orElseThrow())))
                        : source;
                Conversion.of(fitting, folder.resolve(format), format, TargetOptions.DEFAULT)
                        .run(Progress.NONE, Progress.NONE);
            }
        }
        Diagnosis diagnosis = examine(folder.resolve("table"), folder.resolve("store"), OPTIONS);
        assertEquals(2, only(diagnosis, Check.SHARED).count());
    }

    @Test
    void bytesThatAreMostlyTextMustBeUtf8() throws IOException {
        Path text = pack("text.a2pack", i -> i == 30 ? new byte[] {'a', (byte) 0xC3} : ("text " + i).getBytes());
        assertEquals(List.of(30L), only(examine(text, OPTIONS), Check.UTF8).records());
        Path binary = pack("binary.a2pack", i -> new byte[] {0, (byte) i, (byte) 0xFF, 7});
        assertFalse(checks(examine(binary, OPTIONS)).contains(Check.UTF8));
    }

    private Path pack(String name, java.util.function.IntFunction<byte[]> record) throws IOException {
        Path path = folder.resolve(name);
        try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
            for (int i = 0; i < 100; i++) {
                writer.append(null, PackKind.OPAQUE, MemorySegment.ofArray(record.apply(i)));
            }
        }
        return path;
    }

    @Test
    void utf8IsJudgedAsByTheRuntime() {
        Random random = new Random(11);
        for (int round = 0; round < 200_000; round++) {
            byte[] bytes = new byte[1 + random.nextInt(5)];
            random.nextBytes(bytes);
            if (round % 2 == 0) {
                bytes[0] = (byte) (0xC0 + random.nextInt(64));
            }
            boolean isValid = true;
            try {
                StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(bytes));
            } catch (java.nio.charset.CharacterCodingException e) {
                isValid = false;
            }
            assertEquals(
                    isValid,
                    Utf8.isValid(bytes, bytes.length),
                    java.util.HexFormat.of().formatHex(bytes));
        }
    }

    @Test
    void classesAreCounted() throws IOException {
        Path path = lines(
                "labels.csv",
                Stream.concat(
                        Stream.of("label,n"),
                        IntStream.range(0, 1000).mapToObj(i -> (i < 3 ? "rare," : "common,") + i)));
        Diagnosis diagnosis = examine(path, OPTIONS);
        assertEquals("label", only(diagnosis, Check.CLASSES).field());
        String described = diagnosis.description().toString();
        assertTrue(described.contains("classes={common=997, rare=3}"), described);
    }

    @Test
    void listedRecordsAreLeftOut() throws IOException {
        Path source = floats("x.npy", 0, 1, 2, 3, 4);
        IndexSet.of(new long[] {4, 1, 4}).write(folder.resolve("bad.npy"), false);
        IndexSet without = written("bad.npy");
        RecordChoice choice = RecordChoice.ALL.withoutRecords(without);
        for (Path path : List.of(source, lines("x.csv", Stream.of("x", "0", "1", "2", "3", "4")))) {
            try (RecordSource records = Sources.open(path, SourceOptions.DEFAULT.withChoice(choice))) {
                long[] count = new long[1];
                records.forEach((indices, batch) -> count[0] += batch.rowCount(), Progress.NONE);
                assertEquals(3, count[0], path.toString());
            }
        }
        without.add(5);
        IndexOutOfBoundsException refused = assertThrows(
                IndexOutOfBoundsException.class, () -> Sources.open(source, SourceOptions.DEFAULT.withChoice(choice)));
        assertTrue(refused.getMessage().contains("record 5 is out of range"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> IndexSet.of(new long[] {-1}));
    }

    @Test
    void quantilesAreNear() {
        SizeHistogram sizes = new SizeHistogram();
        for (int i = 1; i <= 100_000; i++) {
            sizes.add(i);
        }
        for (double share : new double[] {0.01, 0.25, 0.5, 0.75, 0.99}) {
            assertEquals(share * 100_000, sizes.quantile(share), share * 100_000 / 50, "share " + share);
        }
        sizes.add(Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, sizes.quantile(1), Long.MAX_VALUE / 50.0);
    }
}
