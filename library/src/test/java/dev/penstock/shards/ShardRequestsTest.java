// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Json;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingStorage;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The ranges that a source requests from a storage, compared with the original's transcript for the same shards.
///
/// The original fetches whole shards, three at a time, before it returns the first row, so an error in the third
/// shard comes first. Here ranges are fetched in the background, and rows that are there are returned before the
/// error of a later shard.
final class ShardRequestsTest {
    private static final Path ROOT = TestData.path("shards");

    /// Wider than in the original's files: the bytes of small objects come with their first request.
    private static final int WIDTH = 40_000;

    private static final long ROW_BYTES = WIDTH * 4L;

    @TempDir
    Path folder;

    /// Notes the requests as `name@offset+length`, and fails once for one object behind its header.
    private static final class Watched extends ForwardingStorage {
        final Queue<String> fetches = new ConcurrentLinkedQueue<>();
        private final String failing;
        private boolean hasFailed;

        Watched(String failing) {
            super(Storage.of(Disk.real()));
            this.failing = failing;
        }

        @Override
        public long read(Location object, long offset, MemorySegment target) throws IOException {
            fetches.add(object.name() + "@" + offset + "+" + target.byteSize());
            if (isFailing(object, offset)) {
                throw new IOException("planned");
            }
            return super.read(object, offset, target);
        }

        private synchronized boolean isFailing(Location object, long offset) {
            boolean isFailing = !hasFailed && offset > 0 && object.name().equals(failing);
            hasFailed |= isFailing;
            return isFailing;
        }

        /// The ranges behind headers, sorted, because several are under way at a time.
        List<String> payloads() {
            return sorted(fetches.stream().filter(fetch -> !fetch.contains("@0+")));
        }
    }

    /// Six shards `s0.shard` to `s5.shard` of one row each.
    private Path six() throws IOException {
        Path corpus = Files.createDirectories(folder.resolve("six"));
        for (int i = 0; i < 6; i++) {
            Files.write(corpus.resolve("s" + i + ".shard"), Shards.counting(1, WIDTH, i));
        }
        return corpus;
    }

    private static String payload(String name) {
        return name + "@32+" + ROW_BYTES;
    }

    private static List<String> sorted(Stream<String> fetches) {
        return fetches.sorted().toList();
    }

    private static ShardReader open(Path path, Storage storage, long readAheadBytes) throws IOException {
        return ShardReader.open(
                path, ShardReader.Options.DEFAULT.withStorage(storage).withReadAheadBytes(readAheadBytes));
    }

    /// The results of successive calls of `nextBatch`: `first id + rows`, the text of an error, and the end.
    private static List<String> events(ShardSource source) {
        List<String> events = new ArrayList<>();
        try (ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            while (true) {
                try {
                    if (!source.nextBatch(batch)) {
                        events.add("end");
                        return events;
                    }
                    events.add(batch.rowId(0) + "+" + batch.rowCount());
                } catch (IOException e) {
                    events.add(e.getMessage());
                }
            }
        }
    }

    @Test
    void aFailedFetchIsRepeatedAndEveryOtherRangeIsFetchedOnce() throws IOException {
        Json golden = Json.read(ROOT.resolve("expected.json")).get("retry").get(0);
        assertEquals("dirs/six_single_rows", golden.get("dir").text());
        Watched storage = new Watched(golden.get("payload_fetch_failing_once").text());
        List<String> events;
        try (ShardReader reader = open(six(), storage, 1 << 20);
                ShardSource source = reader.source()) {
            events = events(source);
        }
        List<String> expected = golden.get("result").get("fetches").items().stream()
                .map(Json::text)
                .filter(fetch -> fetch.endsWith("@32+20"))
                .map(fetch -> payload(fetch.substring(0, fetch.indexOf('@'))))
                .toList();
        assertEquals(7, expected.size());
        assertEquals(sorted(expected.stream()), storage.payloads());
        assertEquals(List.of("0+1", "1+1"), events.subList(0, 2), "rows that are there come before the error");
        assertTrue(events.get(2).contains("planned") && events.get(2).contains("s2.shard"), events.get(2));
        assertEquals(List.of("2+1", "3+1", "4+1", "5+1", "end"), events.subList(3, events.size()));
    }

    @Test
    void readAheadFetchesNoMoreThanItsBudgetAndEachRangeOnce() throws IOException {
        Watched storage = new Watched("");
        try (ShardReader reader = open(six(), storage, 2 * ROW_BYTES);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertEquals(List.of(), storage.payloads(), "opening reads headers only");
            assertTrue(source.nextBatch(batch));
            assertTrue(storage.payloads().size() <= 3, storage.payloads().toString());
            assertEquals(List.of("1+1", "2+1", "3+1", "4+1", "5+1", "end"), events(source));
            List<String> once = IntStream.range(0, 6)
                    .mapToObj(i -> payload("s" + i + ".shard"))
                    .toList();
            assertEquals(once, storage.payloads());
            assertTrue(source.readAhead().aheadBytesMax() <= 2 * ROW_BYTES);
            source.reset();
            events(source);
            assertEquals(
                    sorted(Stream.concat(once.stream(), once.stream())), storage.payloads(), "a reset fetches again");
        }
    }

    @Test
    void shardsWithoutRowsAreNeverFetched() throws IOException {
        Watched storage = new Watched("");
        Path corpus = Shards.corpus(folder.resolve("corpus"), WIDTH, 0, 1, 0, 0, 1, 0);
        try (ShardReader reader = open(corpus, storage, 1 << 20);
                ShardSource source = reader.source()) {
            assertEquals(List.of("0+1", "1+1", "end"), events(source));
        }
        assertEquals(List.of(payload("s00001.shard"), payload("s00004.shard")), storage.payloads());
    }

    /// The original cannot ask for the size of an object, so it finds this when the first batch is read.
    @Test
    void aShortenedShardIsFoundWhenTheCorpusIsOpened() {
        DatasetException refused = assertThrows(
                DatasetException.class,
                () -> open(ROOT.resolve("dirs/late_truncation"), new Watched(""), 1 << 20)
                        .close());
        assertEquals(Reason.TRUNCATED, refused.reason());
        assertTrue(refused.getMessage().contains("c.shard"), refused.getMessage());
    }

    /// A shard that gets shorter after it was opened: the rows before it come, then the error, on every call.
    @Test
    void aShardThatIsShortenedLaterIsRefusedWhereItsRowsAreNeeded() throws IOException {
        Path corpus = Shards.corpus(folder.resolve("later"), WIDTH, 1, 1, 1);
        try (ShardReader reader = open(corpus, new Watched(""), 0);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            Files.write(corpus.resolve("s00001.shard"), Shards.header(1, WIDTH, 0, 0));
            assertTrue(source.nextBatch(batch));
            for (int i = 0; i < 2; i++) {
                DatasetException refused = assertThrows(DatasetException.class, () -> source.nextBatch(batch));
                assertEquals(Reason.TRUNCATED, refused.reason());
                assertEquals(1, source.position());
            }
            source.seek(2);
            assertTrue(source.nextBatch(batch));
            assertFalse(source.nextBatch(batch));
        }
    }
}
