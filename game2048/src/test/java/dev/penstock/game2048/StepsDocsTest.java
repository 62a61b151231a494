// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The pages about steps and about groups show code that works.
final class StepsDocsTest {
    private static final Path GAMES = Golden.pack("packs/games-align4096.a2pack");

    @TempDir
    Path folder;

    private Path output;

    @BeforeEach
    void choose() {
        output = folder.resolve("steps");
    }

    @Test
    void theExampleOfStepsRuns() throws IOException {
        Path games = GAMES;
        // [steps]
        StepsDataset.build(games, output);
        try (StepsDataset steps = StepsDataset.open(output)) {
            StepsDataset best = steps.filterByScore(5000);
            StepReturns returns = StepReturns.of(best, 0.99, Progress.NONE);
            LoaderOptions options = LoaderOptions.of(256)
                    .withSampler(new PermutationSampler(best.count(), 7))
                    .withTransforms(returns, BoardSymmetry.random(3), new BoardExponents());
            long byteCount = 0;
            try (Loader loader = Loader.open(best.table(), options)) {
                for (LoaderBatch batch : loader) {
                    MemorySegment exponents = batch.column("exponents").values();
                    byteCount += exponents.byteSize();
                }
            }
            // [steps]
            assertTrue(best.count() > 0 && best.count() < steps.count());
            assertEquals(best.count() * 16, byteCount);
        }
    }

    @Test
    void theExampleOfGroupsRuns() throws IOException {
        StepsDataset.build(GAMES, output);
        Path folder = output;
        // [groups]
        try (GroupedTable table = GroupedTable.open(folder)) {
            Groups groups = table.groups();
            long group = groups.groupOf(1000);
            long score = groups.whole("max_score", group);
            GroupedTable chosen = table.where("max_score >= 5000 and move == 2");
            GroupedTable.Split parts = table.split(0.25, 42);
            long windowCount = 0;
            try (Loader loader = Loader.open(parts.train().windows(64), LoaderOptions.of(32))) {
                for (LoaderBatch batch : loader) {
                    windowCount += batch.rowCount();
                }
            }
            // [groups]
            assertTrue(groups.start(group) <= 1000 && groups.limit(group) > 1000 && score > 0);
            assertTrue(chosen.count() > 0 && chosen.count() < table.count());
            assertEquals(parts.train().windows(64).count(), windowCount);
        }
    }

    @Test
    void thePagesShowTheExamples() throws IOException {
        Path root = Golden.root().getParent();
        String own = Files.readString(root.resolve("game2048/src/test/java/dev/penstock/game2048/StepsDocsTest.java"));
        for (String name : new String[] {"steps", "groups"}) {
            String page = Files.readString(root.resolve("docs/" + name + ".md"));
            String example = own.split("// \\[" + name + "\\]\n")[1];
            assertTrue(example.lines().count() > 8);
            example.lines().forEach(line -> assertTrue(page.contains(line.strip()), "not shown: " + line));
        }
    }
}
