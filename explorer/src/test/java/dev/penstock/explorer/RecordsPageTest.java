// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.query.Where;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The rows of the table: all, matching, shuffled.
final class RecordsPageTest {
    @TempDir
    Path folder;

    private static List<Long> indices(Map<?, ?> page) {
        return ((List<?>) page.get("rows"))
                .stream().map(row -> (Long) ((Map<?, ?>) row).get("index")).toList();
    }

    @Test
    void rowsOfTheMiddleAndTheEnd() throws IOException {
        try (Served served = Served.of(Served.table(folder.resolve("t.npy"), 1000))) {
            assertEquals(List.of(500L, 501L), indices(served.json("records?dataset=t.npy&start=500&count=2")));
            assertEquals(List.of(999L), indices(served.json("records?dataset=t.npy&start=999")));
            assertEquals(List.of(), indices(served.json("records?dataset=t.npy&start=1000")));
            assertEquals(List.of(), indices(served.json("records?dataset=t.npy&start=" + Long.MAX_VALUE)));
        }
    }

    @Test
    void columnsAreChosenAndOrdered() throws IOException {
        try (Served served = Served.of(Served.table(folder.resolve("t.npy"), 10))) {
            Map<?, ?> page = served.json("records?dataset=t.npy&start=7&count=1&fields=kind,id");
            Map<?, ?> row = (Map<?, ?>) ((List<?>) page.get("rows")).getFirst();
            assertEquals(List.of(Map.of("bytes", 8L, "text", "3"), Map.of("bytes", 8L, "text", "7")), row.get("cells"));
            assertEquals(16L, row.get("size"));
        }
    }

    @Test
    void aSeedGivesTheOrderOfTheLoader() throws IOException {
        try (Served served = Served.of(Served.table(folder.resolve("t.npy"), 1000))) {
            PermutationSampler sampler = new PermutationSampler(1000, 7);
            List<Long> expected = LongStream.range(20, 30)
                    .map(i -> sampler.index(0, i))
                    .boxed()
                    .toList();
            assertEquals(expected, indices(served.json("records?dataset=t.npy&start=20&count=10&seed=7")));
        }
    }

    @Test
    void aFilterIsExactWhenAllWasSearched() throws IOException {
        try (Served served = Served.of(Served.table(folder.resolve("t.npy"), 1000))) {
            Map<?, ?> page = served.json("records?dataset=t.npy&start=2&count=2&where=" + Served.encoded("kind == 3"));
            assertEquals(List.of(11L, 15L), indices(page));
            assertEquals(250L, page.get("rowCount"));
            Map<?, ?> filter = (Map<?, ?>) page.get("filter");
            assertEquals(true, filter.get("exact"));
            assertEquals(250L, filter.get("matches"));
            assertEquals(1000L, filter.get("searched"));
            Map<?, ?> without = served.json("records?dataset=t.npy&budget=0&where=" + Served.encoded("kind == 2"));
            assertEquals(false, ((Map<?, ?>) without.get("filter")).get("exact"), "a search takes time");
        }
    }

    @Test
    void theProgressEndsWithTheResult() throws IOException {
        try (Served served = Served.of(Served.table(folder.resolve("t.npy"), 1000))) {
            List<Map<?, ?>> lines = Served.lines(
                    served.post("records?dataset=t.npy&where=" + Served.encoded("kind == 1 and id < 100")));
            assertTrue(lines.getFirst().containsKey("progress"), lines.toString());
            assertEquals(25L, ((Map<?, ?>) lines.getLast().get("result")).get("matches"));
            List<Map<?, ?>> verified = Served.lines(served.post("verify?dataset=t.npy"));
            assertEquals(true, ((Map<?, ?>) verified.getLast().get("result")).get("ok"));
        }
    }

    /// A file of zeros that takes no space.
    private Path sparse(long rowCount) throws IOException {
        Path path = folder.resolve("sparse.npy");
        String header =
                "{'descr': [('id', '<i8'), ('kind', '<i8'), ('weight', '<f8')], 'fortran_order': False, 'shape': ("
                        + rowCount + ",), }";
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) 182, 0});
            file.write((header + " ".repeat(181 - header.length()) + "\n").getBytes(StandardCharsets.ISO_8859_1));
            file.setLength(192 + rowCount * 24);
        }
        return path;
    }

    @Test
    @Tag("full")
    void aBillionRecordsAreOpenedSearchedInPartAndScrolled() throws IOException {
        Path path = sparse(1_000_000_000);
        try (Served served = Served.of(path)) {
            Map<?, ?> page = served.json("records?dataset=sparse.npy&start=999999998");
            assertEquals(List.of(999_999_998L, 999_999_999L), indices(page));
            assertEquals(1_000_000_000L, page.get("records"));
            Map<?, ?> part = served.json("records?dataset=sparse.npy&budget=1&where=" + Served.encoded("id == 0"));
            Map<?, ?> filter = (Map<?, ?>) part.get("filter");
            assertEquals(false, filter.get("exact"));
            assertEquals(
                    filter.get("searched"), filter.get("matches"), "all zeros match, as far as they were searched");
            assertEquals(Math.min(FilterRun.LISTED_MAX, (Long) filter.get("matches")), filter.get("listed"));
            Map<?, ?> on = served.json("records?dataset=sparse.npy&budget=1&where=" + Served.encoded("id == 0"));
            long searched = (Long) ((Map<?, ?>) on.get("filter")).get("searched");
            assertTrue(searched > (Long) filter.get("searched"), "it goes on where it ended");
        }
    }

    @Test
    @Tag("full")
    void whoClosesTheConnectionCancelsTheSearch() throws Exception {
        Path path = sparse(1_000_000_000);
        try (Served served = Served.of(path)) {
            String query = "records?dataset=sparse.npy&where=" + Served.encoded("id == 1");
            HttpRequest request = served.request(query)
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            HttpResponse<InputStream> answer = served.client().send(request, HttpResponse.BodyHandlers.ofInputStream());
            answer.body().read();
            answer.body().close();
            // The same search can be continued at once; it waits for the end of the cancelled one.
            Map<?, ?> page = served.json("records?dataset=sparse.npy&budget=1&where=" + Served.encoded("id == 1"));
            assertFalse((Boolean) ((Map<?, ?>) page.get("filter")).get("exact"));
        }
    }

    @Test
    void aCancelledSearchKeepsWhatItFoundAndContinues() throws IOException {
        try (Dataset dataset = Catalog.open(Served.table(folder.resolve("t.npy"), 400_000))) {
            FilterRun run = new FilterRun(Where.parse("kind == 3", dataset.fields()), dataset.count());
            Tracker tracker = new Tracker(60);
            tracker.start();
            tracker.cancel();
            Assertions.assertThrows(CancellationException.class, () -> run.search(dataset, tracker));
            assertEquals(0, run.searchedCount());
            Tracker second = new Tracker(60);
            second.start();
            run.search(dataset, second);
            assertEquals(400_000, run.searchedCount());
            assertEquals(100_000, run.listedCount());
            assertEquals(399_999, run.at(99_999));
        }
    }

    @Test
    @Tag("full")
    void manyHeavySearchesDoNotStopTheTable() throws Exception {
        Path path = sparse(1_000_000_000);
        try (Served served = Served.of(path, Served.table(folder.resolve("t.npy"), 100))) {
            List<InputStream> heavy = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                HttpRequest request = served.request(
                                "records?dataset=sparse.npy&where=" + Served.encoded("id == " + (i + 1)))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
                heavy.add(served.client()
                        .send(request, HttpResponse.BodyHandlers.ofInputStream())
                        .body());
            }
            assertEquals(List.of(7L), indices(served.json("records?dataset=t.npy&start=7&count=1")));
            assertEquals(3L, served.json("record?dataset=t.npy&index=3").get("index"));
            for (InputStream one : heavy) {
                one.close();
            }
        }
    }
}
