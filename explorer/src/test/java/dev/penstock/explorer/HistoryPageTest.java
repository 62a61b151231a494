// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.query.Where;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where a run is, from its checkpoint.
final class HistoryPageTest {
    @TempDir
    Path folder;

    private static final PermutationSampler ORDER = new PermutationSampler(1000, 7);

    /// Batches of 50 on two ranks: 10 steps in an epoch, and three of the second epoch are done.
    private static String checkpoint(Path path) throws IOException {
        try (Dataset dataset = Catalog.open(path)) {
            return Served.encoded(
                    new LoaderState(dataset.fingerprint(), 1000, "permutation", Map.of("seed", 7L), 1, 300)
                            .withSteps(50, 2, false, true)
                            .toJson());
        }
    }

    @Test
    void theStepsAreThoseOfTheRun() throws IOException {
        Path path = Served.table(folder.resolve("t.npy"), 1000);
        try (Served served = Served.of(path)) {
            Map<?, ?> page = served.json("history?dataset=t.npy&checkpoint=" + checkpoint(path));
            assertNull(page.get("mismatch"));
            Map<?, ?> now = (Map<?, ?>) page.get("now");
            assertEquals(13L, now.get("step"));
            assertEquals(10L, now.get("epochStart"));
            assertEquals(10L, now.get("epochSteps"));
            Map<?, ?> step = (Map<?, ?>) ((List<?>) page.get("steps")).getFirst();
            assertEquals(12L, step.get("step"), "the last step that was seen");
            List<Long> expected = LongStream.range(200, 300)
                    .map(i -> ORDER.index(1, i))
                    .sorted()
                    .boxed()
                    .toList();
            assertEquals(
                    expected,
                    ((List<?>) step.get("indices"))
                            .stream().map(Long.class::cast).sorted().toList());
            assertEquals(100, ((List<?>) page.get("rows")).size());
            assertEquals(0L, ((Map<?, ?>) page.get("near")).get("from"));
            assertEquals(113L, ((Map<?, ?>) page.get("near")).get("limit"));
        }
    }

    @Test
    void aRecordHasItsStepsOfAllEpochs() throws IOException {
        Path path = Served.table(folder.resolve("t.npy"), 1000);
        try (Served served = Served.of(path)) {
            long record = ORDER.index(1, 299);
            Map<?, ?> page = served.json("history?dataset=t.npy&record=" + record + "&checkpoint=" + checkpoint(path));
            List<?> places = (List<?>) page.get("places");
            assertEquals(2, places.size());
            assertEquals(12L, ((Map<?, ?>) places.get(1)).get("step"));
            assertEquals(true, ((Map<?, ?>) places.get(1)).get("seen"));
        }
    }

    @Test
    void aRunOverASelectionHasTheRecordsOfTheDataset() throws IOException {
        Path path = Served.table(folder.resolve("t.npy"), 1000);
        String state;
        try (Dataset dataset = Catalog.open(path);
                Dataset chosen = Where.select(dataset, "kind == 3")) {
            PermutationSampler order = new PermutationSampler(chosen.count(), 7);
            state = Served.encoded(new LoaderState(
                            chosen.fingerprint(),
                            chosen.count(),
                            "permutation",
                            order.parameters(),
                            0,
                            20,
                            List.of(),
                            Map.of(),
                            chosen.recipe())
                    .withSteps(10, 1, false, true)
                    .toJson());
        }
        try (Served served = Served.of(path)) {
            Map<?, ?> page = served.json("history?dataset=t.npy&checkpoint=" + state);
            assertNull(page.get("mismatch"));
            List<?> rows = (List<?>) page.get("rows");
            assertEquals(10, rows.size());
            for (Object row : rows) {
                assertEquals(3L, (Long) ((Map<?, ?>) row).get("index") % 4, "only records with kind 3");
            }
        }
    }

    @Test
    void aCheckpointOfOtherDataIsNoticed() throws IOException {
        Path path = Served.table(folder.resolve("t.npy"), 1000);
        Path other = Served.table(folder.resolve("u.npy"), 999);
        try (Served served = Served.of(path, other)) {
            Map<?, ?> page = served.json("history?dataset=u.npy&checkpoint=" + checkpoint(path));
            assertNotNull(page.get("mismatch"));
            assertEquals(List.of(), page.get("rows"));
            for (String bad : List.of("x", "{}", "[1]", "{\"version\":2}")) {
                String answer = served.get("history?format=json&dataset=t.npy&checkpoint=" + Served.encoded(bad))
                        .body();
                assertTrue(answer.startsWith("{\"error\":{\"kind\":\"usage\""), answer);
            }
        }
    }
}
