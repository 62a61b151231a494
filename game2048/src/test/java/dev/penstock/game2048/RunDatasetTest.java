// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Codec;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs and steps of a pack as datasets: for conditions and for the loader.
final class RunDatasetTest {
    @TempDir
    Path folder;

    private Path games;

    @BeforeEach
    void copy() throws IOException {
        games = folder.resolve("games.a2pack");
        Files.copy(Golden.pack("packs/games-align4096.a2pack"), games);
    }

    @Test
    void conditionsAreAnsweredFromTheFileBesideThePack() throws IOException {
        try (RunPack pack = RunPack.open(games)) {
            assertArrayEquals(new long[] {1, 7}, pack.where("max_score >= 10000 and steps > 600", Progress.NONE));
            assertArrayEquals(new long[0], pack.where("engine == 'x'", Progress.NONE));
            assertThrows(IllegalArgumentException.class, () -> pack.where("score > 1", Progress.NONE));
        }
        assertTrue(Files.exists(RunIndex.file(games)));
        byte[] sidecar = Files.readAllBytes(RunIndex.file(games));
        for (int i = 0; i < sidecar.length; i += 7) {
            byte[] damaged = sidecar.clone();
            damaged[i] ^= 4;
            Files.write(RunIndex.file(games), damaged);
            try (RunPack pack = RunPack.open(games)) {
                assertArrayEquals(new long[] {7}, pack.where("steps > 1000", Progress.NONE));
            }
            assertArrayEquals(sidecar, Files.readAllBytes(RunIndex.file(games)), "rebuilt");
        }
    }

    @Test
    void theFileOfAnotherPackIsReplaced() throws IOException {
        try (RunPack pack = RunPack.open(games)) {
            pack.index(Progress.NONE);
        }
        Files.delete(games);
        Files.copy(Golden.pack("packs/orders-align8.a2pack"), games);
        try (RunPack pack = RunPack.open(games)) {
            assertEquals(13, pack.where("steps >= 0", Progress.NONE).length);
            assertEquals(108, StepDataset.of(pack, Progress.NONE).count());
        }
    }

    @Test
    void aRunIsARecordWithItsSteps() throws IOException {
        try (RunPack pack = RunPack.open(games);
                RunDataset runs = RunDataset.of(pack);
                Batch batch = Batch.create(runs.fields())) {
            runs.gather(new long[] {4, 0, 4}, batch);
            Run run = pack.run(4);
            for (int row = 0; row < 3; row += 2) {
                MemorySegment boards = batch.column("boards").value(row);
                assertEquals(run.stepCount() * 8L, boards.byteSize());
                for (int i = 0; i < run.stepCount(); i++) {
                    Step step = run.step(i);
                    assertEquals(step.preBoard(), boards.get(Layouts.U64, i * 8L));
                    assertEquals(
                            step.chosen().code(),
                            batch.column("moves").value(row).get(Layouts.U8, i));
                    assertEquals(
                            step.branches().legalBits(),
                            batch.column("legal").value(row).get(Layouts.U8, i));
                    for (int move = 0; move < Move.COUNT; move++) {
                        assertEquals(
                                step.branches().valueBits()[move],
                                batch.column("branches").value(row).get(Layouts.U32, (i * 4L + move) * 4));
                    }
                }
                assertEquals(300, batch.column("steps").value(row).get(Layouts.U32, 0));
                assertEquals(
                        run.finalBoard(), batch.column("final_board").value(row).get(Layouts.U64, 0));
            }
            assertEquals(run.stepCount(), runs.length(runs.fields().get(10), 4));
            assertArrayEquals(
                    pack.run(1).meta().engine().getBytes(StandardCharsets.UTF_8),
                    runs.get(1).value(9).toArray(Layouts.U8));
        }
    }

    /// A thread that has not decoded a run yet may begin with a block of a run that another thread has decoded.
    @Test
    void aThreadMayBeginWithABlockOfARun() throws IOException {
        try (RunPack pack = RunPack.open(games)) {
            AtomicReferenceArray<int[]> blockOffsets = new AtomicReferenceArray<>(1);
            Run run = pack.run(7);
            try (StepSource first = new StepSource(pack, blockOffsets);
                    StepSource second = new StepSource(pack, blockOffsets)) {
                first.open(0, 7, run.stepCount(), 1);
                second.open(0, 7, run.stepCount(), 1);
                int position = second.position(100);
                assertEquals(run.step(100).preBoard(), second.columns().boards()[position]);
            }
        }
    }

    @Test
    void stepsOfAllRunsAreDrawnAtRandom() throws IOException {
        Path packed = folder.resolve("packed.a2pack");
        PackBuilder.build(
                Golden.pack("runs/tree"),
                packed,
                false,
                PackWriter.Options.DEFAULT.withCodec(Codec.ZSTD, 0),
                1,
                List.of(new RunIntake(false)),
                Progress.NONE);
        for (Path path : new Path[] {games, packed}) {
            try (RunPack pack = RunPack.open(path);
                    StepDataset steps = StepDataset.of(pack, Progress.NONE);
                    Batch batch = Batch.create(steps.fields())) {
                Random random = new Random(5);
                for (int round = 0; round < 20; round++) {
                    long[] indices =
                            random.longs(1 + round * 37L, 0, steps.count()).toArray();
                    steps.gather(indices, batch);
                    for (int row = 0; row < indices.length; row++) {
                        requireStep(pack, steps, indices[row], batch, row);
                    }
                }
                assertThrows(IndexOutOfBoundsException.class, () -> steps.gather(new long[] {steps.count()}, batch));
                assertEquals(0, batch.rowCount());
            }
        }
    }

    private static void requireStep(RunPack pack, StepDataset steps, long index, Batch batch, int row)
            throws IOException {
        int record = batch.column("run_id").value(row).get(Layouts.U32, 0);
        int stepIndex = batch.column("step_index").value(row).get(Layouts.U32, 0);
        long before = 0;
        for (int i = 0; i < record; i++) {
            before += pack.index(Progress.NONE).stepCount(i);
        }
        assertEquals(index, before + stepIndex);
        Step step = pack.run(record).step(stepIndex);
        assertEquals(step.preBoard(), batch.column("board").value(row).get(Layouts.U64, 0));
        assertEquals(step.chosen().code(), batch.column("move").value(row).get(Layouts.U8, 0));
        int legal = batch.column("ev_legal").value(row).get(Layouts.U8, 0);
        assertEquals(
                step.branches() == null ? step.chosen().bit() : step.branches().legalBits(), legal);
        assertTrue(steps.count() > index);
    }

    @Test
    void aLoaderDrawsEveryStepOnce() throws IOException {
        try (RunPack pack = RunPack.open(games);
                StepDataset steps = StepDataset.of(pack, Progress.NONE)) {
            LoaderOptions options = LoaderOptions.of(128).withSampler(new PermutationSampler(steps.count(), 3));
            boolean[] seen = new boolean[(int) steps.count()];
            try (Loader loader = Loader.open(steps, options)) {
                for (LoaderBatch batch : loader) {
                    for (int row = 0; row < batch.rowCount(); row++) {
                        int index = (int) batch.index(row);
                        assertFalse(seen[index]);
                        seen[index] = true;
                    }
                }
            }
            for (boolean one : seen) {
                assertTrue(one);
            }
        }
    }

    @Test
    void whatIsWrongIsListed() throws IOException {
        RunCheck strict = new RunCheck(false, 2);
        RunCheck.Result fine = strict.pack(games, Progress.NONE);
        assertTrue(fine.isOk() && fine.runCount() == 8 && fine.stepCount() == 4463, fine.toString());
        Path tree = folder.resolve("tree.a2pack");
        Files.copy(Golden.pack("packs/tree-align64.a2pack"), tree);
        RunCheck.Result result = strict.pack(tree, Progress.NONE);
        assertFalse(result.isOk());
        assertTrue(result.problems().stream().anyMatch(p -> p.reason().equals(Reason.COUNT_MISMATCH)));
        RunCheck.Result files =
                new RunCheck(true, 1).files(List.of(Golden.runs("bad/runs/v2-trailing-1")), Progress.NONE);
        assertEquals(
                1, files.problems().stream().filter(RunCheck.Problem::isWarning).count());
        assertTrue(RunCheck.isPack(games));
        assertFalse(RunCheck.isPack(Golden.runs("edge/three-steps.a2run2")));
    }
}
