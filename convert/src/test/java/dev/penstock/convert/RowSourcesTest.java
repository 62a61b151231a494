// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.shards.Safetensors;
import dev.penstock.shards.ShardBatch;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardStats;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Arrays of other formats are converted to shards, and shards to arrays of other formats.
final class RowSourcesTest {
    @TempDir
    Path folder;

    private Path convert(Path input, String tensor, long rawWidth, ElementType type) throws IOException {
        Path output = Files.createTempDirectory(folder, "out");
        ShardWriter.Options options = ShardWriter.Options.DEFAULT.withType(type).withShardRows(3);
        RowSources.Choice choice = new RowSources.Choice(tensor, null, rawWidth);
        try (RecordSource rows = RowSources.open(Location.of(input), choice, Catalog.Options.DEFAULT)) {
            try (ShardWriter writer = ShardWriter.create(output, width(rows), options)) {
                append(rows, writer);
            }
        }
        return output;
    }

    private static long width(RecordSource rows) {
        return rows.fields().getFirst().shape().getFirst();
    }

    private static void append(RecordSource rows, ShardWriter writer) throws IOException {
        RecordWriter.of(writer).appendAll(rows, writer.nextRow(), Progress.NONE);
    }

    private static byte[] bytes(Path corpus, ElementType type) throws IOException {
        try (ShardReader reader = ShardReader.open(corpus);
                ShardBatch batch = ShardBatch.create(type)) {
            reader.source().read(0, reader.count(), batch);
            return batch.values().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static void requireShape(Path corpus, long rowCount, long width) throws IOException {
        try (ShardReader reader = ShardReader.open(corpus)) {
            assertEquals(rowCount, reader.count());
            assertEquals(width, reader.width());
        }
    }

    @Test
    void everyTensorOfFloatsBecomesRowsWithItsBytes() throws Exception {
        Json expected = Json.read(TestData.path("safetensors/expected.json"));
        int count = 0;
        for (Json file : expected.get("files").items()) {
            Path path = TestData.path("safetensors").resolve(file.get("file").text());
            for (Json tensor : file.get("tensors").items()) {
                String dtype = tensor.get("dtype").text();
                List<Json> shape = tensor.get("shape").items();
                boolean isRows = List.of("F16", "BF16", "F32", "F64").contains(dtype)
                        && !shape.isEmpty()
                        && tensor.get("shape").items().stream().allMatch(length -> length.number() > 0);
                if (!isRows) {
                    continue;
                }
                ElementType type = ElementType.valueOf(dtype);
                Path corpus = convert(path, tensor.get("name").text(), 0, type);
                assertEquals(tensor.get("sha256").text(), sha256(bytes(corpus, type)), path.toString());
                count++;
            }
        }
        assertTrue(count >= 8, "only " + count + " tensors");
        requireShape(convert(TestData.path("safetensors/three_d.safetensors"), null, 0, ElementType.F32), 6, 4);
        requireShape(convert(TestData.path("safetensors/f32.safetensors"), null, 0, ElementType.F32), 1, 8);
        requireShape(convert(TestData.path("safetensors/activations.safetensors"), null, 0, ElementType.F32), 10, 8);
    }

    @Test
    void headersUpToTheLimitOfTheSafetensorsPackageAreRead() throws Exception {
        StringBuilder header = new StringBuilder("{\"__metadata__\":{");
        for (int i = 0; i < 10; i++) {
            header.append(i == 0 ? "" : ",")
                    .append("\"")
                    .append(i)
                    .append("\":\"")
                    .append("x".repeat(900_000))
                    .append('"');
        }
        header.append("},\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}");
        Path path = folder.resolve("long.safetensors");
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length() + 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length()).put(header.toString().getBytes(StandardCharsets.US_ASCII));
        Files.write(path, bytes.array());
        requireShape(convert(path, null, 0, ElementType.F32), 1, 2);
    }

    @Test
    void whatTheSafetensorsPackageRefusesIsRefused() throws IOException {
        Json expected = Json.read(TestData.path("safetensors/expected.json"));
        for (Json hostile : expected.get("hostile").items()) {
            Path path = TestData.path("safetensors").resolve(hostile.get("file").text());
            boolean isAccepted = hostile.get("file_reader").get("accepted").isTrue();
            boolean isDuplicate = path.toString().contains("duplicate_key");
            if (!isAccepted || isDuplicate) {
                assertThrows(DatasetException.class, () -> convert(path, null, 0, ElementType.F32), path.toString());
            } else {
                requireShape(convert(path, null, 0, ElementType.F32), 1, 2);
            }
        }
        for (String[] one : new String[][] {
            {"not_utf8", "it is not UTF-8"}, {"shape_overflow", "a tensor has more bytes than fit in 63 bits"}
        }) {
            Path path = TestData.path("safetensors/hostile/" + one[0] + ".safetensors");
            DatasetException refused =
                    assertThrows(DatasetException.class, () -> convert(path, null, 0, ElementType.F32));
            assertTrue(refused.getMessage().contains("the header is damaged: " + one[1]), refused.getMessage());
        }
        Path ints = TestData.path("safetensors/ints.safetensors");
        assertThrows(DatasetException.class, () -> convert(ints, null, 0, ElementType.F32));
        Path good = TestData.path("safetensors/f32.safetensors");
        assertThrows(IllegalArgumentException.class, () -> convert(good, "other", 0, ElementType.F32));
    }

    @Test
    void arraysOfOneToThreeDimensionsBecomeRows() throws Exception {
        Path table = TestData.path("table");
        for (String name : List.of("f2.npy", "f4.npy", "f8.npy", "be_f4.npy", "i4.npy", "two_d.npy", "three_d.npy")) {
            try (Dataset array = Catalog.open(table.resolve(name))) {
                List<Long> shape = array.fields().getFirst().shape();
                long width = shape.isEmpty() ? array.count() : shape.getLast();
                long rows = shape.isEmpty() ? 1 : array.count() * (shape.size() == 2 ? shape.getFirst() : 1);
                requireShape(convert(table.resolve(name), null, 0, ElementType.F64), rows, width);
            }
        }
        for (String name : List.of("rec.npy", "eight_d.npy", "S5.npy")) {
            assertThrows(
                    IllegalArgumentException.class, () -> convert(table.resolve(name), null, 0, ElementType.F32), name);
        }
    }

    /// Writes an array of three matrices, each of which is larger than what is copied at once.
    private Path largeMatrices(String type, int[] values) throws IOException {
        String header =
                "{'descr': '" + type + "', 'fortran_order': False, 'shape': (3, " + values.length / 24 + ", 8), }";
        ByteBuffer bytes = ByteBuffer.allocate(128 + values.length * Integer.BYTES);
        bytes.put((byte) 0x93).put("NUMPY\1\0".getBytes(StandardCharsets.ISO_8859_1));
        bytes.order(ByteOrder.LITTLE_ENDIAN).putShort((short) 118);
        bytes.put((header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.US_ASCII));
        bytes.order(type.startsWith(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            if (type.endsWith("f4")) {
                bytes.putFloat(value);
            } else {
                bytes.putInt(value);
            }
        }
        return Files.write(folder.resolve("large" + type.substring(1) + type.hashCode() + ".npy"), bytes.array());
    }

    @Test
    @Tag("full")
    void matricesThatAreLargerThanTheBufferAreReadInParts() throws IOException {
        int[] values = new int[3 * 140_001 * 8];
        Arrays.setAll(values, i -> i % 1_000_003);
        for (String type : List.of("<f4", ">f4", "<i4")) {
            Path output = Files.createTempDirectory(folder, "large");
            Path input = largeMatrices(type, values);
            try (RecordSource rows =
                            RowSources.open(Location.of(input), RowSources.Choice.ALL, Catalog.Options.DEFAULT);
                    ShardWriter writer = ShardWriter.create(output, width(rows), ShardWriter.Options.DEFAULT)) {
                append(rows, writer);
            }
            ByteBuffer found = ByteBuffer.wrap(bytes(output, ElementType.F32)).order(ByteOrder.LITTLE_ENDIAN);
            assertEquals(values.length * Float.BYTES, found.remaining());
            for (int i = 0; i < values.length; i++) {
                if (found.getFloat() != values[i]) {
                    fail(type + ": value " + i + " is wrong");
                }
            }
        }
    }

    @Test
    void optionsThatDoNotFitTheInputAreRefused() {
        Path array = TestData.path("table/two_d.npy");
        for (Path input : List.of(array, TestData.path("bf16dir/tiny"), TestData.path("bf16dir/converted_sources"))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> convert(input, "x", 0, ElementType.F32));
            assertTrue(refused.getMessage().contains("tensor x can be chosen only in"), refused.getMessage());
        }
        IllegalArgumentException folderOfArrays = assertThrows(
                IllegalArgumentException.class,
                () -> convert(TestData.path("bf16dir/converted_sources"), null, 4, ElementType.F32));
        assertTrue(folderOfArrays.getMessage().contains("a width is for a single file"), folderOfArrays.getMessage());
        DatasetException raw = assertThrows(
                DatasetException.WrongFormat.class,
                () -> convert(TestData.path("bf16dir/tiny.f32"), null, 0, ElementType.F32));
        assertTrue(raw.getMessage().contains("give the width of the rows"), raw.getMessage());
    }

    @Test
    @Tag("full")
    void residualFoldersComeInAndGoOutAsTheOriginalWritesThem() throws Exception {
        Json expected = Json.read(TestData.path("bf16dir/expected.json"));
        for (Json golden : expected.get("dirs").items()) {
            String name = golden.get("name").text();
            if (name.equals("no_rows")) {
                continue;
            }
            Path input = TestData.path("bf16dir").resolve(name);
            Path corpus = convert(input, null, 0, ElementType.F32);
            assertEquals(golden.get("read_all_f32_sha256").text(), sha256(bytes(corpus, ElementType.F32)), name);
            Path raw = TestData.path("bf16dir").resolve(golden.get("input").text());
            Path again = convert(raw, null, golden.get("d_model").number(), ElementType.F32);
            Path output = folder.resolve("residual-" + name);
            try (ShardReader reader = ShardReader.open(again)) {
                ResidualFolder.write(
                        reader,
                        output,
                        ShardStats.compute(reader, Progress.NONE),
                        golden.get("rows_per_shard").number());
            }
            for (Json shard : golden.get("shards").items()) {
                String file = shard.get("file").text();
                assertArrayEquals(Files.readAllBytes(input.resolve(file)), Files.readAllBytes(output.resolve(file)));
            }
            assertArrayEquals(
                    bytes(corpus, ElementType.BF16),
                    bytes(convert(output, null, 0, ElementType.BF16), ElementType.BF16));
        }
    }

    @Test
    void aFolderOfArraysIsTakenInTheOrderOfTheNamesAsByTheOriginal() throws Exception {
        Json golden = Json.read(TestData.path("bf16dir/expected.json"))
                .get("converted")
                .get(0);
        Path corpus = convert(TestData.path("bf16dir/converted_sources"), null, 0, ElementType.BF16);
        assertEquals(golden.get("f32_sha256").text(), sha256(bytes(corpus, ElementType.F32)));
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> convert(TestData.path("bf16dir/converted_width_sources"), null, 0, ElementType.BF16));
        assertTrue(refused.getMessage().contains("width"), refused.getMessage());
    }

    /// The mean of such rows is finite as a double and infinite as the float of a manifest.
    @Test
    void statisticsThatNoFloatCanHoldAreNull() throws IOException {
        Path corpus = Files.createDirectory(folder.resolve("large"));
        byte[] shard = ShardWriter.encode(new double[][] {{1e300}, {1e300}}, 1, ElementType.F64);
        Files.write(corpus.resolve("a.shard"), shard);
        Path output = folder.resolve("residual-large");
        try (ShardReader reader = ShardReader.open(corpus)) {
            ResidualFolder.write(reader, output, ShardStats.compute(reader, Progress.NONE));
        }
        String manifest = Files.readString(output.resolve(ResidualFolder.MANIFEST));
        assertTrue(manifest.contains("\"mean\":[null]") && manifest.contains("\"norm\":[null]"), manifest);
    }

    @Test
    void hostileResidualFoldersAreRefused() throws IOException {
        List<String> names = new ArrayList<>(List.of(
                "hostile_format",
                "hostile_version_2",
                "hostile_short_shard",
                "hostile_long_shard",
                "hostile_missing_shard",
                "hostile_total_lies"));
        for (String name : names) {
            assertThrows(
                    DatasetException.class,
                    () -> convert(TestData.path("bf16dir").resolve(name), null, 0, ElementType.F32),
                    name);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> convert(TestData.path("bf16dir/hostile_no_manifest"), null, 0, ElementType.F32));
        Path escape = Files.createDirectory(folder.resolve("escape"));
        String manifest = Files.readString(TestData.path("bf16dir/tiny/manifest.json"));
        for (String evil : List.of("../x.bf16", "..", "a/b", "", "/etc/passwd")) {
            Files.writeString(escape.resolve("manifest.json"), manifest.replace("shard_00000.bf16", evil));
            DatasetException refused =
                    assertThrows(DatasetException.class, () -> convert(escape, null, 0, ElementType.F32));
            assertEquals(Reason.BAD_MANIFEST, refused.reason());
        }
    }

    @Test
    @Tag("full")
    void shardsGoOutAsSafetensorsAndComeBackAndAreCutAgain() throws Exception {
        Path corpus = convert(TestData.path("bf16dir/three_shards.f32"), null, 8, ElementType.F16);
        Path file = folder.resolve("out.safetensors");
        try (ShardReader reader = ShardReader.open(corpus)) {
            Safetensors.write(reader, file, false);
        }
        assertArrayEquals(
                bytes(corpus, ElementType.F16),
                bytes(convert(file, Safetensors.TENSOR, 0, ElementType.F16), ElementType.F16));
        Path again = convert(corpus, null, 0, ElementType.F64);
        assertArrayEquals(bytes(corpus, ElementType.F64), bytes(again, ElementType.F64));
    }

    @Test
    void tensorsAndResidualFoldersAreSourcesOfEveryConversion() throws Exception {
        Path three = TestData.path("safetensors/three_d.safetensors");
        Path activations = TestData.path("safetensors/activations.safetensors");
        Path tiny = TestData.path("bf16dir/tiny");
        for (Path source : List.of(three, activations, tiny)) {
            Path shards = convert(source, null, 0, ElementType.F32);
            Path table = folder.resolve(source.getFileName() + ".npy");
            TargetOptions floats = TargetOptions.DEFAULT.withCast(ElementType.F32);
            ConversionSamples.convert(source, table, "table", floats, RecordChoice.ALL);
            assertArrayEquals(
                    bytes(shards, ElementType.F32), bytes(convert(table, null, 0, ElementType.F32), ElementType.F32));
        }
    }

    @Test
    void aTensorIsNamedBehindItsFile() throws Exception {
        Json expected = Json.read(TestData.path("safetensors/expected.json"));
        String name = expected.get("files").items().stream()
                .filter(file -> file.get("file").text().equals("three_d.safetensors"))
                .findFirst()
                .orElseThrow()
                .get("tensors")
                .get(0)
                .get("name")
                .text();
        Path file = TestData.path("safetensors/three_d.safetensors");
        Path table = folder.resolve("one.npy");
        ConversionSamples.convert(file.resolve(name), table, "table");
        try (Dataset rows = Catalog.open(table)) {
            assertEquals(6, rows.count());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> ConversionSamples.convert(file.resolve("other"), folder.resolve("other.npy"), "table"));
    }

    /// Sixteen-bit types of both kinds, and 32-bit numbers.
    @Test
    void tensorsOfDifferentTypesGetOneThatHoldsAll() throws IOException {
        String header = "{\"a\":{\"dtype\":\"F16\",\"shape\":[1,2],\"data_offsets\":[0,4]},"
                + "\"b\":{\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":[4,8]}}";
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length() + 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII));
        bytes.putShort((short) 0x3c01)
                .putShort((short) 0x4000)
                .putShort((short) 0x3f81)
                .putShort((short) 0x4000);
        Path file = Files.write(folder.resolve("mixed.safetensors"), bytes.array());
        ByteBuffer rows = ByteBuffer.wrap(bytes(convert(file, null, 0, ElementType.F32), ElementType.F32))
                .order(ByteOrder.LITTLE_ENDIAN);
        float[] found = {rows.getFloat(), rows.getFloat(), rows.getFloat(), rows.getFloat()};
        assertArrayEquals(new float[] {Float.float16ToFloat((short) 0x3c01), 2, 1.0078125f, 2}, found);
    }

    @Test
    void aCorpusIsContinuedAfterItsRows() throws IOException {
        Path input = TestData.path("bf16dir/three_shards.f32");
        Path whole = convert(input, null, 8, ElementType.F32);
        Path part = folder.resolve("part");
        RowSources.Choice choice = new RowSources.Choice(null, null, 8);
        ShardWriter.Options options = ShardWriter.Options.DEFAULT.withShardRows(3);
        try (ShardReader reader = ShardReader.open(whole);
                ShardBatch batch = ShardBatch.create(ElementType.F32);
                ShardWriter writer = ShardWriter.create(part, 8, options)) {
            reader.source().read(0, 5, batch);
            writer.append(batch.values(), ElementType.F32);
        }
        try (RecordSource rows = RowSources.open(Location.of(input), choice, Catalog.Options.DEFAULT);
                ShardWriter writer = ShardWriter.resume(part, 8, options)) {
            append(rows, writer);
        }
        assertArrayEquals(bytes(whole, ElementType.F32), bytes(part, ElementType.F32));
    }

    @Test
    void rawFloatsHaveWholeRows() {
        Path raw = TestData.path("bf16dir/tiny.f32");
        assertThrows(DatasetException.class, () -> convert(raw, null, 5, ElementType.F32));
    }

    @Test
    void theCatalogKnowsShardsByTheirContent() throws IOException {
        Path corpus = convert(TestData.path("bf16dir/tiny.f32"), null, 3, ElementType.F32);
        for (Path path : List.of(corpus, corpus.resolve("shard_000000.shard"), corpus.resolve("*.shard"))) {
            try (Dataset dataset = Catalog.open(path)) {
                assertEquals("shards", dataset.format());
                assertEquals(3, dataset.fields().getFirst().shape().getFirst());
            }
        }
        Path empty = Files.createFile(folder.resolve("empty.shard"));
        assertEquals(
                Reason.TRUNCATED,
                assertThrows(DatasetException.class, () -> Catalog.open(empty)).reason());
        Files.write(corpus.resolve("zz.shard"), new byte[7]);
        assertEquals(
                1,
                Catalog.verify(corpus, Catalog.Options.DEFAULT, Progress.NONE).errorCount());
    }
}
