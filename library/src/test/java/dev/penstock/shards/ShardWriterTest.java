// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.ChecksummedJson;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writing, rolling over, resuming, and the manifest.
final class ShardWriterTest {
    @TempDir
    Path folder;

    private static final ShardWriter.Options OPTIONS = ShardWriter.Options.DEFAULT;

    private static double[][] rows(int first, int count, int width) {
        double[][] rows = new double[count][width];
        for (int i = 0; i < count; i++) {
            for (int column = 0; column < width; column++) {
                rows[i][column] = (first + i) * 10 + column;
            }
        }
        return rows;
    }

    private Path write(String name, int count, ShardWriter.Options options) throws IOException {
        Path corpus = folder.resolve(name);
        try (ShardWriter writer = ShardWriter.create(corpus, 3, options)) {
            for (int i = 0; i < count; i++) {
                writer.append(rows(i, 1, 3));
                assertEquals(i + 1, writer.nextRow());
            }
        }
        return corpus;
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shardsRollOverByRowsAndByBytes() throws IOException {
        Path byRows = write("rows", 10, OPTIONS.withShardRows(4).withManifest(false));
        assertEquals(List.of("shard_000000.shard", "shard_000001.shard", "shard_000002.shard"), names(byRows));
        Path byBytes =
                write("bytes", 10, OPTIONS.withShardBytes(32 + 4 * 12 + 11).withManifest(false));
        for (String name : names(byRows)) {
            assertArrayEquals(Files.readAllBytes(byRows.resolve(name)), Files.readAllBytes(byBytes.resolve(name)));
        }
        assertArrayEquals(rows(0, 10, 3), Shards.read(byRows, ShardReader.Options.DEFAULT));
        Path tiny = write("tiny", 2, OPTIONS.withShardBytes(1).withManifest(false));
        assertEquals(2, names(tiny).size());
    }

    @Test
    void aFullShardIsPublishedBeforeTheNextRow() throws IOException {
        Path corpus = folder.resolve("full");
        ShardWriter writer = ShardWriter.create(corpus, 3, OPTIONS.withShardRows(4));
        writer.append(rows(0, 8, 3));
        assertEquals(2, writer.shardCount());
        writer.abort();
        try (ShardWriter resumed = ShardWriter.resume(corpus, 3, OPTIONS.withShardRows(4))) {
            assertEquals(8, resumed.nextRow());
        }
        assertEquals(List.of("corpus.json", "shard_000000.shard", "shard_000001.shard"), names(corpus));
    }

    @Test
    void whatWasFullIsThereAfterACrashAndTheWriterSaysWhichRowIsNext() throws IOException {
        Path corpus = folder.resolve("crashed");
        ShardWriter crashed = ShardWriter.create(corpus, 3, OPTIONS.withShardRows(4));
        crashed.append(rows(0, 10, 3));
        crashed.abort();
        assertEquals(List.of("shard_000000.shard", "shard_000001.shard"), names(corpus));
        try (ShardWriter writer = ShardWriter.resume(corpus, 3, OPTIONS.withShardRows(4))) {
            assertEquals(8, writer.nextRow());
            writer.append(rows(8, 5, 3));
        }
        assertArrayEquals(rows(0, 13, 3), Shards.read(corpus, ShardReader.Options.DEFAULT));
        Path whole = folder.resolve("whole");
        try (ShardWriter writer = ShardWriter.create(whole, 3, OPTIONS.withShardRows(4))) {
            writer.append(rows(0, 13, 3));
        }
        try (ShardReader one = ShardReader.open(corpus);
                ShardReader other = ShardReader.open(whole)) {
            assertTrue(one.isFingerprintExact());
            assertEquals(other.fingerprint(), one.fingerprint());
            assertTrue(one.verify(Progress.NONE).problems().isEmpty());
        }
    }

    /// Both with the checksums of a manifest and with samples of the rows.
    @Test
    void theFirstRowsKeepTheirFingerprintWhenRowsAreAdded() throws IOException {
        Path longer = folder.resolve("longer");
        try (ShardWriter writer = ShardWriter.create(longer, 3, OPTIONS.withShardRows(4))) {
            writer.append(rows(0, 13, 3));
        }
        for (boolean isListed : new boolean[] {true, false}) {
            if (!isListed) {
                Files.delete(longer.resolve("corpus.json"));
            }
            for (int count : new int[] {1, 8, 10}) {
                Path shorter = folder.resolve("shorter" + isListed + count);
                try (ShardWriter writer = ShardWriter.create(shorter, 3, OPTIONS.withShardRows(5))) {
                    writer.append(rows(0, count, 3));
                }
                if (!isListed) {
                    Files.delete(shorter.resolve("corpus.json"));
                }
                try (ShardReader one = ShardReader.open(shorter);
                        ShardReader other = ShardReader.open(longer)) {
                    assertEquals(one.fingerprint(), other.fingerprint(count));
                    assertTrue(other.hasFingerprint(one.fingerprint(), count));
                    assertFalse(other.hasFingerprint(one.fingerprint(), count + 1));
                }
            }
        }
    }

    @Test
    void aCommittedShardSurvivesAnAbort() throws IOException {
        Path corpus = folder.resolve("committed");
        ShardWriter writer = ShardWriter.create(corpus, 3, OPTIONS);
        writer.append(rows(0, 5, 3));
        assertEquals(5, writer.commit());
        writer.append(rows(5, 5, 3));
        writer.abort();
        assertArrayEquals(rows(0, 5, 3), Shards.read(corpus, ShardReader.Options.DEFAULT));
    }

    @Test
    void aFolderWithShardsIsNotBegunAgainAndNotResumedWithAnotherWidthOrType() throws IOException {
        Path corpus = write("taken", 3, OPTIONS);
        assertThrows(FileAlreadyExistsException.class, () -> ShardWriter.create(corpus, 3, OPTIONS));
        assertThrows(IllegalArgumentException.class, () -> ShardWriter.resume(corpus, 4, OPTIONS));
        assertThrows(
                IllegalArgumentException.class,
                () -> ShardWriter.resume(corpus, 3, OPTIONS.withType(ElementType.BF16)));
        Path file = Files.writeString(folder.resolve("file"), "x");
        assertThrows(FileAlreadyExistsException.class, () -> ShardWriter.create(file, 3, OPTIONS));
    }

    @Test
    void aFolderHasOneWriterAtATime() throws IOException {
        Path corpus = folder.resolve("locked");
        try (ShardWriter writer = ShardWriter.create(corpus, 3, OPTIONS)) {
            writer.append(rows(0, 1, 3));
            assertThrows(FileSystemException.class, () -> ShardWriter.resume(corpus, 3, OPTIONS));
        }
        assertEquals(List.of("corpus.json", "shard_000000.shard"), names(corpus));
    }

    @Test
    void wrongRowsAreRefusedAndAClosedWriterTakesNone() throws IOException {
        ShardWriter writer = ShardWriter.create(folder.resolve("wrong"), 3, OPTIONS);
        assertThrows(IllegalArgumentException.class, () -> writer.append(new double[][] {{1, 2}}));
        assertThrows(
                IllegalArgumentException.class,
                () -> writer.append(MemorySegment.ofArray(new byte[11]), ElementType.F32));
        assertThrows(
                IllegalArgumentException.class,
                () -> writer.append(MemorySegment.ofArray(new byte[12]), ElementType.I32));
        writer.append(rows(0, 1, 3));
        writer.close();
        writer.close();
        assertThrows(IllegalStateException.class, () -> writer.append(rows(0, 1, 3)));
        assertThrows(IllegalArgumentException.class, () -> ShardWriter.create(folder.resolve("no"), 0, OPTIONS));
        assertThrows(
                IllegalArgumentException.class,
                () -> ShardWriter.create(folder.resolve("no"), Long.MAX_VALUE, OPTIONS));
        assertThrows(IllegalArgumentException.class, () -> OPTIONS.withShardRows(0));
        assertThrows(IllegalArgumentException.class, () -> OPTIONS.withType(ElementType.I32));
        assertThrows(IllegalArgumentException.class, () -> ShardWriter.encode(new double[][] {{1}, {1, 2}}));
        assertThrows(IllegalArgumentException.class, () -> ShardWriter.encode(new double[0][]));
    }

    @Test
    void everyTypeComesBackAsItRounds() throws IOException {
        double[][] rows = {{1, 1.00390625, 1.01171875, 3.1415927410125732, 65504, 3.4028234663852886e38, -0.0, 1e-8}};
        for (ElementType type : List.of(ElementType.BF16, ElementType.F16, ElementType.F64, ElementType.F32)) {
            Path corpus = folder.resolve(type.toString());
            try (ShardWriter writer = ShardWriter.create(corpus, 8, OPTIONS.withType(type))) {
                writer.append(rows);
            }
            double[] read = Shards.read(corpus, ShardReader.Options.DEFAULT)[0];
            double[] expected = switch (type) {
                case BF16 ->
                    new double[] {1, 1, 1.015625, 3.140625, 65536, Double.POSITIVE_INFINITY, -0.0, 1.0011717677116394e-8
                    };
                case F16 ->
                    new double[] {1, 1.00390625, 1.01171875, 3.140625, 65504, Double.POSITIVE_INFINITY, -0.0, 0};
                case F32 -> {
                    double[] floats = rows[0].clone();
                    floats[7] = (float) 1e-8;
                    yield floats;
                }
                default -> rows[0];
            };
            assertArrayEquals(expected, read, type.toString());
            assertArrayEquals(
                    ShardWriter.encode(rows, 8, type), Files.readAllBytes(corpus.resolve("shard_000000.shard")));
        }
    }

    @Test
    void namesThatCannotBeFollowedAreRefused() throws IOException {
        Path unnumbered = Shards.corpus(folder.resolve("unnumbered"), 3, 2);
        Files.move(unnumbered.resolve("s00000.shard"), unnumbered.resolve("a.shard"));
        ShardWriter writer = ShardWriter.resume(unnumbered, 3, OPTIONS);
        assertThrows(IOException.class, () -> writer.append(rows(0, 1, 3)));
        writer.abort();
        Path full = Shards.corpus(folder.resolve("full"), 3, 2);
        Files.move(full.resolve("s00000.shard"), full.resolve("s9.shard"));
        ShardWriter last = ShardWriter.resume(full, 3, OPTIONS);
        assertThrows(IOException.class, () -> last.append(rows(0, 1, 3)));
        last.abort();
    }

    @Test
    void theManifestMakesDamageNoticedAndAMissingShardRefused() throws IOException {
        Path corpus = write("listed", 10, OPTIONS.withShardRows(4).withMetadata(Map.of("layer", "12")));
        try (ShardReader reader = ShardReader.open(corpus)) {
            assertEquals(Map.of("layer", "12"), reader.metadata());
            assertTrue(reader.isFingerprintExact());
        }
        Path shard = corpus.resolve("shard_000001.shard");
        byte[] good = Files.readAllBytes(shard);
        byte[] bad = good.clone();
        bad[40] ^= 1;
        Files.write(shard, bad);
        try (ShardReader reader = ShardReader.open(corpus)) {
            Verification damaged = reader.verify(Progress.NONE);
            assertEquals(Reason.CHECKSUM, damaged.problems().getFirst().reason());
            assertFalse(damaged.isOk());
        }
        Files.write(shard, good);
        Files.delete(corpus.resolve("shard_000000.shard"));
        DatasetException missing = assertThrows(DatasetException.class, () -> ShardReader.open(corpus));
        assertEquals(Reason.MISSING_SHARD, missing.reason());
        try (ShardReader reader = ShardReader.open(corpus, ShardReader.Options.DEFAULT.withLenient(true))) {
            assertEquals(6, reader.count());
            assertFalse(reader.remarks().isEmpty());
        }
        Files.writeString(corpus.resolve("corpus.json"), "{}");
        assertEquals(
                Reason.BAD_MANIFEST,
                assertThrows(DatasetException.class, () -> ShardReader.open(corpus))
                        .reason());
        Map<String, ?> newer = Map.of("format", "penstock shards", "version", 2L);
        Files.write(corpus.resolve("corpus.json"), ChecksummedJson.write(newer));
        assertThrows(DatasetException.UnsupportedVersion.class, () -> ShardReader.open(corpus));
    }

    @Test
    void statisticsAreKeptAndBelongToTheirRows() throws IOException {
        Path corpus = write("stats", 6, OPTIONS.withShardRows(4));
        try (ShardReader reader = ShardReader.open(corpus)) {
            assertNull(ShardStats.read(reader));
            ShardStats stats = ShardStats.compute(reader, Progress.NONE);
            assertEquals(6, stats.count());
            assertArrayEquals(new double[] {25, 26, 27}, stats.mean(), 1e-12);
            assertEquals(Math.sqrt((0 + 100 + 400 + 900 + 1600 + 2500) / 6.0), stats.rms()[0], 1e-12);
            assertEquals(0, stats.min());
            assertEquals(52, stats.max());
            double scaled = stats.scale() * stats.scale() * stats.meanSquareNorm();
            assertEquals(3, scaled, 1e-12);
            stats.publish(reader.disk(), reader.folder());
            assertEquals(stats, ShardStats.read(reader));
        }
        try (ShardWriter writer = ShardWriter.resume(corpus, 3, OPTIONS)) {
            writer.append(rows(6, 1, 3));
        }
        try (ShardReader reader = ShardReader.open(corpus)) {
            assertNull(ShardStats.read(reader), "statistics of other rows");
        }
        Files.writeString(corpus.resolve("stats.json"), "{\"format\":1");
        try (ShardReader reader = ShardReader.open(corpus)) {
            assertEquals(
                    Reason.BAD_STATS,
                    assertThrows(DatasetException.class, () -> ShardStats.read(reader))
                            .reason());
        }
    }

    @Test
    void valuesThatAreNotFiniteAreCountedAndLeftOutOfTheStatistics() throws IOException {
        Path corpus = folder.resolve("odd");
        try (ShardWriter writer = ShardWriter.create(corpus, 2, OPTIONS)) {
            writer.append(new double[][] {{1, Double.NaN}, {Double.POSITIVE_INFINITY, 2}, {3, 4}});
        }
        try (ShardReader reader = ShardReader.open(corpus)) {
            ShardStats stats = ShardStats.compute(reader, Progress.NONE);
            assertEquals(2, stats.nonFiniteCount());
            assertEquals(List.of(new ShardStats.Position(0, 1), new ShardStats.Position(1, 0)), stats.nonFinite());
            assertArrayEquals(new double[] {2, 3}, stats.mean());
            Verification verification = reader.verify(Progress.NONE);
            assertTrue(verification.isOk());
            assertEquals(Reason.NON_FINITE, verification.problems().getFirst().reason());
            stats.publish(reader.disk(), reader.folder());
            assertEquals(stats, ShardStats.read(reader));
        }
    }
}
