// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Json;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// The files of the original reader and writer, with what the original said about each of them. Every transcript
/// is replayed by both kinds of sources.
final class ShardGoldenTest {
    private static final Path ROOT = TestData.path("shards");

    /// Shards that the original accepts and a strict reader refuses.
    private static final Map<String, Reason> STRICT = Map.of(
            "reserved_1", Reason.NONZERO_PADDING,
            "trailing_1", Reason.TRAILING_BYTES,
            "p0_n3", Reason.ZERO_WIDTH);

    /// Where our answer differs on purpose: overflow has a reason of its own, and dtype 1 is bf16.
    private static final Map<String, Reason> DIFFERENT = Map.of(
            "overflow_rows_times_width", Reason.HEADER_OVERFLOW,
            "overflow_times_4", Reason.HEADER_OVERFLOW,
            "wrap_payload_2e64_minus_32", Reason.HEADER_OVERFLOW,
            "p0_n_max", Reason.HEADER_OVERFLOW,
            "dtype_1", Reason.TRAILING_BYTES,
            "dtype_1_short", Reason.TRUNCATED);

    private static Json expected() throws IOException {
        return Json.read(ROOT.resolve("expected.json"));
    }

    @TestFactory
    List<DynamicTest> everySingleShardIsReadAsByTheOriginal() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String part : List.of("encode", "single")) {
            for (Json golden : expected().get(part).items()) {
                List<Path> files = List.of(ROOT.resolve(golden.get("shard").text()));
                tests.add(DynamicTest.dynamicTest(golden.get("name").text(), () -> {
                    requireStream(golden.get("stream"), files);
                    if (golden.has("read_f64_bits")
                            && !golden.get("read_f64_bits").items().isEmpty()) {
                        requireBits(golden, files);
                    }
                }));
            }
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> theWriterWritesTheBytesOfTheOriginal() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Json golden : expected().get("encode").items()) {
            tests.add(DynamicTest.dynamicTest(golden.get("name").text(), () -> {
                int width = (int) golden.get("p").number();
                DoubleBuffer numbers = ByteBuffer.wrap(Files.readAllBytes(
                                ROOT.resolve(golden.get("input").text())))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asDoubleBuffer();
                double[][] rows = new double[(int) golden.get("n_rows").number()][width];
                for (double[] row : rows) {
                    numbers.get(row);
                }
                byte[] bytes = ShardWriter.encode(rows, width, ElementType.F32);
                assertEquals(golden.get("shard_sha256").text(), Shards.sha256(bytes));
                assertArrayEquals(
                        Files.readAllBytes(ROOT.resolve(golden.get("shard").text())), bytes);
            }));
        }
        return tests;
    }

    private static void requireBits(Json golden, List<Path> files) throws IOException {
        try (ShardReader reader = ShardReader.open(Location.all(files), ShardReader.Options.DEFAULT);
                ShardBatch doubles = ShardBatch.create(ElementType.F64);
                ShardBatch floats = ShardBatch.create(ElementType.F32)) {
            reader.source().read(0, reader.count(), doubles);
            reader.source().read(0, reader.count(), floats);
            List<String> bits = new ArrayList<>();
            for (long value : doubles.values().toArray(ValueLayout.JAVA_LONG)) {
                bits.add(HexFormat.of().toHexDigits(value));
            }
            assertEquals(texts(golden.get("read_f64_bits")), bits);
            bits.clear();
            for (int value : floats.values().toArray(ValueLayout.JAVA_INT)) {
                bits.add(HexFormat.of().toHexDigits(value));
            }
            assertEquals(texts(golden.get("stored_f32_bits")), bits);
        }
    }

    @TestFactory
    List<DynamicTest> everyFolderIsReadAsByTheOriginal() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Json golden : expected().get("dirs").items()) {
            Path folder = ROOT.resolve(golden.get("dir").text());
            tests.add(DynamicTest.dynamicTest(golden.get("name").text(), () -> {
                List<Path> order =
                        texts(golden.get("order")).stream().map(folder::resolve).toList();
                if (golden.get("open_dir").has("error")) {
                    requireRefused(golden.get("open_dir").get("error").text(), folder);
                    return;
                }
                requireStream(golden.get("open_dir"), List.of(folder));
                requireStream(golden.get("open_dir"), order);
                requireStream(golden.get("open_reversed_list"), order.reversed());
                try (ShardReader reader = ShardReader.open(folder, lenient())) {
                    assertEquals(order.stream().map(Location::of).toList(), reader.files());
                }
            }));
        }
        return tests;
    }

    private static void requireRefused(String error, Path folder) {
        if (error.equals("Io")) {
            IOException refused = assertThrows(IOException.class, () -> ShardReader.open(folder, lenient()));
            assertTrue(refused.toString().contains("d.shard"), refused.toString());
            return;
        }
        DatasetException refused = assertThrows(
                DatasetException.class,
                () -> ShardReader.open(folder, lenient()).close());
        assertEquals(reason(error), refused.reason());
    }

    @TestFactory
    List<DynamicTest> everyListIsReadAsByTheOriginal() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Json golden : expected().get("lists").items()) {
            List<Path> files =
                    texts(golden.get("paths")).stream().map(ROOT::resolve).toList();
            tests.add(DynamicTest.dynamicTest(golden.get("name").text(), () -> {
                if (golden.get("open_list").has("error")
                        && golden.get("open_list").get("error").text().equals("Io")) {
                    assertThrows(
                            IOException.class,
                            () -> ShardReader.open(Location.all(files), lenient())
                                    .close());
                } else {
                    requireStream(golden.get("open_list"), files);
                }
            }));
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> everyOddFileIsAcceptedOrRefusedAsByTheOriginal() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Json golden : expected().get("bad").items()) {
            String name = golden.get("name").text();
            List<Path> files = List.of(ROOT.resolve(golden.get("file").text()));
            tests.add(DynamicTest.dynamicTest(name, () -> {
                if (DIFFERENT.containsKey(name)) {
                    assertEquals(DIFFERENT.get(name), refusal(files, ShardReader.Options.DEFAULT));
                    return;
                }
                requireStream(golden.get("open_list"), files);
                if (STRICT.containsKey(name)) {
                    assertEquals(STRICT.get(name), refusal(files, ShardReader.Options.DEFAULT));
                }
            }));
        }
        return tests;
    }

    private static Reason refusal(List<Path> files, ShardReader.Options options) {
        return assertThrows(
                        DatasetException.class,
                        () -> ShardReader.open(Location.all(files), options).close())
                .reason();
    }

    @TestFactory
    List<DynamicTest> everyMadeCorpusIsReadAsByTheOriginal(@TempDir Path folder) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Json golden : expected().get("synthetic").items()) {
            String name = golden.get("name").text();
            tests.add(DynamicTest.dynamicTest(name, () -> {
                Path corpus = Files.createDirectories(folder.resolve(name));
                Shards.make(golden, corpus);
                requireStream(golden.get("open_dir"), List.of(corpus));
            }));
        }
        return tests;
    }

    @Test
    void aMissingFolderAndAFileInsteadOfAFolderAreErrorsOfTheDisk() {
        assertThrows(IOException.class, () -> ShardReader.open(ROOT.resolve("nowhere")));
    }

    private static ShardReader.Options lenient() {
        return ShardReader.Options.DEFAULT.withLenient(true);
    }

    private static Reason reason(String error) {
        return switch (error) {
            case "Empty" -> Reason.EMPTY;
            case "Truncated" -> Reason.TRUNCATED;
            case "BadMagic" -> Reason.BAD_MAGIC;
            case "BadDtype" -> Reason.BAD_DTYPE;
            case "WidthMismatch" -> Reason.WIDTH_MISMATCH;
            default -> throw new AssertionError(error);
        };
    }

    /// One folder, or a list of files.
    private static ShardReader open(List<Path> paths, ShardReader.Options options) throws IOException {
        return paths.size() == 1 && Files.isDirectory(paths.getFirst())
                ? ShardReader.open(paths.getFirst(), options)
                : ShardReader.open(Location.all(paths), options);
    }

    private static void requireStream(Json stream, List<Path> paths) throws Exception {
        List<ShardReader.Options> ways =
                List.of(lenient(), lenient().withAccess(Access.READ), lenient().withStorage(Storage.of(Disk.real())));
        for (ShardReader.Options options : ways) {
            if (stream.has("error")) {
                DatasetException refused = assertThrows(
                        DatasetException.class, () -> open(paths, options).close());
                assertEquals(reason(stream.get("error").text()), refused.reason());
                continue;
            }
            try (ShardReader reader = open(paths, options);
                    ShardSource source = reader.source();
                    ShardBatch batch = ShardBatch.create(ElementType.F64)) {
                assertEquals(stream.get("total_rows").number(), source.count());
                assertEquals(stream.get("width").number(), source.width());
                assertEquals(stream.get("batch_rows").number(), source.batchRows());
                requireBatches(stream, source, batch);
                source.reset();
                requireBatches(stream, source, batch);
                source.reset();
                source.nextBatch(batch);
                source.reset();
                requireBatches(stream, source, batch);
            }
        }
    }

    private static void requireBatches(Json stream, ShardSource source, ShardBatch batch) throws Exception {
        MessageDigest all = MessageDigest.getInstance("SHA-256");
        for (Json golden : stream.get("batches").items()) {
            assertTrue(source.nextBatch(batch));
            byte[] bytes = batch.values().toArray(ValueLayout.JAVA_BYTE);
            all.update(bytes);
            assertEquals(golden.get(0).number(), batch.rowId(0));
            assertEquals(golden.get(1).number(), batch.rowCount());
            long[] ids = batch.rowIds();
            assertEquals(golden.get(0).number() + ids.length - 1, ids[ids.length - 1]);
            assertEquals(golden.get(2).text(), Shards.sha256(bytes));
        }
        assertEquals(stream.get("rows_sha256").text(), HexFormat.of().formatHex(all.digest()));
        for (int i = 0; i < 2; i++) {
            assertFalse(source.nextBatch(batch));
            assertArrayEquals(new long[0], batch.rowIds());
        }
    }

    private static List<String> texts(Json items) {
        return items.items().stream().map(Json::text).toList();
    }
}
