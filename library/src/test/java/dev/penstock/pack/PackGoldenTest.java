// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Packs that the original program made: we read what it reads, and write what it writes.
class PackGoldenTest {
    private static final Path PACKS = TestData.path("pack/packs");

    @TempDir
    Path folder;

    private static Json expected() throws IOException {
        return Json.read(TestData.path("pack/expected.json"));
    }

    static List<String> packs() throws IOException {
        return expected().names();
    }

    static List<String> packsWithInput() throws IOException {
        Json expected = expected();
        return expected.names().stream()
                .filter(name -> expected.get(name).has("input"))
                .toList();
    }

    static List<String> packsWithoutInput() throws IOException {
        Json expected = expected();
        return expected.names().stream()
                .filter(name -> !expected.get(name).has("input"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("packs")
    void entriesAndPayloadsAreWhatTheOriginalSays(String name) throws IOException {
        Json expected = expected().get(name);
        Json library = Json.read(PACKS.resolve("library.json")).get(name);
        for (Access access : Access.values()) {
            PackReader.Options options = PackReader.Options.DEFAULT.withAccess(access);
            try (PackReader reader = PackReader.open(PACKS.resolve(name), options)) {
                assertEquals(expected.get("count").number(), reader.count());
                assertEquals(library.get("len").number(), reader.count());
                assertEquals(expected.get("bytes").number(), reader.bytes());
                for (int i = 0; i < reader.count(); i++) {
                    requireEntry(expected.get("entries").get(i), reader.entry(i));
                    requirePayload(library.get("entries").get(i), reader, i);
                }
                assertThrows(IndexOutOfBoundsException.class, () -> reader.get(reader.count()));
                assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
                assertEquals(reader.bytes(), reader.verify(Progress.NONE).checkedBytes());
            }
        }
    }

    private static void requireEntry(Json expected, PackEntry entry) {
        assertEquals(expected.get(0).number(), entry.offset());
        assertEquals(expected.get(1).number(), entry.storedSize());
        assertEquals(expected.get(1).number(), entry.rawSize());
        assertEquals(expected.get(2).number(), entry.kindCode());
        assertEquals(expected.get(3).text(), String.format("%08x", entry.crc()));
    }

    private static void requirePayload(Json expected, PackReader reader, int index) throws IOException {
        PackKind kind = expected.get("kind").text().equals("v1") ? SampleRuns.V1 : SampleRuns.V2;
        MemorySegment payload = reader.get(index).value(0);
        assertEquals(kind, reader.kind(index));
        assertEquals(kind, new SampleRuns().kind(payload), "the kind is told by the content");
        assertEquals(expected.get("slice").get("len").number(), payload.byteSize());
        assertEquals(expected.get("slice").get("crc32c").text(), String.format("%08x", Crc32c.of(payload)));
        assertNull(reader.name(index));
    }

    @ParameterizedTest
    @MethodSource("packsWithInput")
    void payloadsAreTheFilesInTheOrderOfTheOriginal(String name) throws IOException {
        Json expected = expected().get(name);
        Path input = TestData.path("pack").resolve(expected.get("input").text());
        try (PackReader reader = PackReader.open(PACKS.resolve(name))) {
            List<Json> order = expected.get("order").items();
            for (int i = 0; i < order.size(); i++) {
                byte[] file = Files.readAllBytes(input.resolve(order.get(i).text()));
                assertArrayEquals(file, reader.get(i).value(0).toArray(Layouts.U8), order.get(i)::text);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("packsWithInput")
    void aFolderIsPackedByteForByteLikeTheOriginal(String name) throws Exception {
        Json expected = expected().get(name);
        Path input = TestData.path("pack").resolve(expected.get("input").text());
        Path target = folder.resolve(name);
        PackWriter.Options options =
                Packs.options().withAlignment(expected.get("align").number());
        PackBuilder.Result result = PackBuilder.build(input, target, false, options, 2, Progress.NONE);
        assertEquals(expected.get("count").number(), result.recordCount());
        byte[] original = Files.readAllBytes(PACKS.resolve(name));
        int dataEnd = (int) expected.get("data_end").number();
        assertArrayEquals(Arrays.copyOf(original, dataEnd), Arrays.copyOf(Files.readAllBytes(target), dataEnd));
        requireWholeFile(expected, original, filesOf(expected, input));
    }

    @ParameterizedTest
    @MethodSource("packsWithoutInput")
    void extractingAndPackingAgainGivesTheSameBytes(String name) throws Exception {
        Json expected = expected().get(name);
        Path extracted = Files.createDirectory(folder.resolve("extracted"));
        try (PackReader reader = PackReader.open(PACKS.resolve(name))) {
            for (int i = 0; i < reader.count(); i++) {
                byte[] payload = reader.get(i).value(0).toArray(Layouts.U8);
                Files.write(extracted.resolve(String.format("run-%06d.a2run2", i)), payload);
            }
        }
        Path target = folder.resolve(name);
        PackWriter.Options options =
                Packs.options().withAlignment(expected.get("align").number());
        PackBuilder.build(extracted, target, false, options, 1, Progress.NONE);
        byte[] original = Files.readAllBytes(PACKS.resolve(name));
        int dataEnd = (int) expected.get("data_end").number();
        assertArrayEquals(Arrays.copyOf(original, dataEnd), Arrays.copyOf(Files.readAllBytes(target), dataEnd));
        try (Stream<Path> files = Files.list(extracted).sorted()) {
            requireWholeFile(expected, original, files.toList());
        }
    }

    private static List<Path> filesOf(Json expected, Path input) {
        return expected.get("order").items().stream()
                .map(file -> input.resolve(file.text()))
                .toList();
    }

    /// The original puts its statistics behind the data; given the same block, the whole file is the same.
    private void requireWholeFile(Json expected, byte[] original, List<Path> files) throws Exception {
        PackWriter.Options options =
                Packs.options().withAlignment(expected.get("align").number());
        for (boolean isExpecting : new boolean[] {false, true}) {
            List<PackRecord> records = files.stream().map(PackGoldenTest::run).toList();
            byte[] stats;
            try (PackReader reader = Packs.open(original)) {
                stats = reader.statsBlock().orElseThrow();
            }
            byte[] ours = Packs.bytes(options, records, stats, isExpecting);
            assertEquals(expected.get("sha256").text(), sha256(ours));
            assertArrayEquals(original, ours);
        }
    }

    private static PackRecord run(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            return new PackRecord(null, new SampleRuns().kind(MemorySegment.ofArray(bytes)), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thePackOfTheSpecificationIsByteForByteThatOfTheOriginal() throws Exception {
        Path three = TestData.path("pack/runs/three");
        List<PackRecord> records = List.of(run(three.resolve("r0.a2run2")), run(three.resolve("r1.a2run2")));
        PackWriter.Options options = PackWriter.Options.DEFAULT.withAlignment(PackFormat.ALIGNMENT_DEFAULT);
        byte[] plain = Packs.bytes(options, records);
        assertEquals(8294, plain.length);
        assertEquals("41325041434b000001000000000000000200000000000000fabb30d4", hex(plain, 0, 28));
        assertEquals("46200000000000009b579b5d000000000000000000000000634fa09e00000000", hex(plain, 8262, 32));
        assertEquals("d80d2e45f6354cff26855080be4d99fa3135a1497934635fcd4240c7e2338090", sha256(plain));
        byte[] stats = HexFormat.of().parseHex("020703040000000000000c40040404");
        byte[] withStats = Packs.bytes(options, records, stats, false);
        assertEquals(8313, withStats.length);
        assertEquals("46200000000000009b579b5d000000004620000000000000cf7f9e0a00000000", hex(withStats, 8281, 32));
        assertEquals("5be304102946c9b0173b51805eb04d357fdc4129f12dfa43921d0bff47991c63", sha256(withStats));
    }

    @Test
    void aPackFromBeforeTheStatisticsIsReadAndOneWithTheWrongFooterIsRefused() throws IOException {
        Path old = TestData.path("pack/old");
        try (PackReader reader = PackReader.open(old.resolve("three-by-26db1b9.a2pack"))) {
            assertEquals(3, reader.count());
            assertTrue(reader.statsBlock().isEmpty());
            assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
        }
        DatasetException refusal = assertThrows(
                DatasetException.Corrupt.class, () -> PackReader.open(old.resolve("three-by-87bcec4.a2pack")));
        assertEquals(Reason.CHECKSUM, refusal.reason());
        assertTrue(refusal.getMessage().contains("checksum mismatch: footer"));
    }

    private static String hex(byte[] bytes, int offset, int size) {
        return HexFormat.of().formatHex(bytes, offset, offset + size);
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
