// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page about runs shows code that works.
final class RunDocsTest {
    @TempDir
    Path folder;

    @Test
    void theExampleOfThePageRuns() throws IOException {
        Path path = folder.resolve("games.a2pack");
        Files.copy(Golden.pack("packs/games-align4096.a2pack"), path);
        // [example]
        try (RunPack pack = RunPack.open(path)) {
            Run run = pack.run(3);
            long board = run.step(7).preBoard();
            long score = run.meta().maxScore();
            List<Run> some = pack.runs(new long[] {0, 5, 2});
            long[] best = pack.where("highest_tile >= 1024", Progress.NONE);
            StepDataset steps = StepDataset.of(pack, Progress.NONE);
            // [example]
            assertTrue(board != 0 && score == 4520);
            assertEquals(3, some.size());
            assertEquals(2, best.length);
            assertEquals(4463, steps.count());
        }
    }

    @Test
    void thePageShowsTheExample() throws IOException {
        Path root = Golden.root().getParent();
        String page = Files.readString(root.resolve("docs/runs.md"));
        String own = Files.readString(root.resolve("game2048/src/test/java/dev/penstock/game2048/RunDocsTest.java"));
        String example = own.split("// \\[example\\]\n")[1];
        assertTrue(example.lines().count() > 5);
        example.lines().forEach(line -> assertTrue(page.contains(line.strip()), "not shown: " + line));
    }
}
