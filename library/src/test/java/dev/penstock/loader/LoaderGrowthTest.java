// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A table that has grown is resumed at its old length or moved on; one that has changed is refused.
class LoaderGrowthTest {
    private static final int OLD = 500;
    private static final int NEW = 813;

    @TempDir
    Path folder;

    private static Stream<Named<Sampler>> resizable() {
        long[] some = LongStream.range(0, OLD).filter(i -> i % 5 == 0).toArray();
        return Stream.<Sampler>of(
                        new SequentialSampler(OLD),
                        new PermutationSampler(OLD, 4),
                        new WindowSampler(OLD, 20, 10),
                        new UniformSampler(OLD, 300, 4),
                        new BlockSampler(OLD, 30, 3, 4),
                        new ShareSampler(OLD, 30, 3, 4, 4),
                        new SubsetSampler(OLD, some, new PermutationSampler(some.length, 4)))
                .map(sampler -> Named.of(sampler.name(), sampler));
    }

    private static LoaderOptions options(Sampler sampler) {
        return LoaderOptions.of(32).withRanks(Ranks.ALONE).withSampler(sampler).withThreads(2);
    }

    /// Every row of the rest of the epoch, as its bytes name it.
    private static List<Long> pass(Loader loader) {
        List<Long> records = new ArrayList<>();
        for (LoaderBatch batch : loader) {
            for (long row = 0; row < batch.rowCount(); row++) {
                records.add(batch.column("id").value(row).get(U64, 0));
                assertEquals(batch.index(row), records.getLast());
            }
        }
        return records;
    }

    private static LoaderState stateAfter(Dataset table, Sampler sampler, int steps) throws IOException {
        try (Loader loader = Loader.open(table, options(sampler))) {
            loader.setEpoch(2);
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int i = 0; i < steps; i++) {
                batches.next();
            }
            return LoaderState.parse(loader.state().toJson());
        }
    }

    @ParameterizedTest
    @MethodSource("resizable")
    void aTableThatHasGrownIsResumedAtItsOldLengthOrMovedOn(Sampler sampler) throws IOException {
        Path path = RealData.table(folder.resolve("table.npy"), 0, OLD);
        List<List<Long>> old = new ArrayList<>();
        LoaderState state;
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, options(sampler))) {
            state = stateAfter(table, sampler, 3);
            loader.resume(state);
            for (int i = 0; i < 3; i++) {
                old.add(pass(loader));
            }
        }
        RealData.extend(path, OLD, NEW - OLD);
        Sampler whole = sampler.resized(NEW);
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, options(whole))) {
            assertEquals(NEW, loader.recordCount());
            loader.resume(state);
            assertEquals(OLD, loader.recordCount());
            assertEquals(state, loader.state());
            for (List<Long> expected : old) {
                assertEquals(expected, pass(loader));
            }
            loader.resume(state);
            loader.moveOn();
            assertEquals(state, loader.state(), "the epoch under way keeps its order");
            assertEquals(old.getFirst(), pass(loader));
            assertEquals(NEW, loader.recordCount());
            List<Long> moved = pass(loader);
            assertEquals(LongStream.of(Samplers.epoch(whole, 3)).boxed().toList(), moved);
            LoaderState after = loader.state();
            assertEquals(NEW, after.recordCount());
            loader.resume(after);
            loader.resume(state);
            assertEquals(old.getFirst(), pass(loader));
            assertEquals(old.get(1), pass(loader), "moving on is over when another state is resumed");
        }
    }

    @Test
    void movingOnBeforeTheFirstSampleOrAtTheEndTakesTheNewRecordsAtOnce() throws IOException {
        Path path = RealData.table(folder.resolve("table.npy"), 0, OLD);
        LoaderState fresh;
        LoaderState atEnd;
        Sampler sampler = new PermutationSampler(OLD, 4);
        try (TableReader table = TableReader.open(path)) {
            fresh = stateAfter(table, sampler, 0);
            atEnd = stateAfter(table, sampler, 16);
        }
        assertEquals(OLD, atEnd.delivered());
        RealData.extend(path, OLD, NEW - OLD);
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, options(sampler.resized(NEW)))) {
            loader.resume(fresh);
            loader.moveOn();
            assertEquals(NEW, loader.recordCount());
            assertEquals(2, loader.epoch());
            assertEquals(NEW, pass(loader).size());
            loader.resume(atEnd);
            loader.moveOn();
            assertEquals(List.of(), pass(loader), "the rest of that epoch is nothing");
            assertEquals(NEW, pass(loader).size());
            loader.resume(atEnd);
            loader.moveOn();
            loader.setEpoch(0);
            assertEquals(NEW, pass(loader).size());
        }
    }

    private String refusal(Path path, Sampler sampler, LoaderState state) throws IOException {
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, options(sampler.resized(table.count())))) {
            loader.iterator().next();
            String before = loader.state().toJson();
            String message = assertThrows(IllegalArgumentException.class, () -> loader.resume(state))
                    .getMessage();
            assertEquals(before, loader.state().toJson(), "a refusal changes nothing");
            return message;
        }
    }

    @Test
    void aTableThatChangedOrShrankIsRefusedShowingBothSides() throws IOException {
        Sampler sampler = new PermutationSampler(OLD, 4);
        Path path = RealData.table(folder.resolve("table.npy"), 0, OLD);
        LoaderState state;
        try (TableReader table = TableReader.open(path)) {
            state = stateAfter(table, sampler, 2);
        }
        Path shrunk = RealData.table(folder.resolve("shrunk.npy"), 0, OLD - 1);
        String message = refusal(shrunk, sampler, state);
        assertTrue(message.contains("500 records") && message.contains("499 records"), message);
        Path other = RealData.table(folder.resolve("other.npy"), 1, OLD);
        message = refusal(other, sampler, state);
        assertTrue(message.contains(state.fingerprint()) && message.split("fingerprint").length == 3, message);
        RealData.extend(other, OLD, 10);
        message = refusal(other, sampler, state);
        assertTrue(message.contains("500 records") && message.contains("510 records"), message);
        assertTrue(message.contains("at that length"), message);
        Path changed = folder.resolve("changed.npy");
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length - 1] ^= 1;
        Files.write(changed, bytes);
        assertTrue(refusal(changed, sampler, state).contains("another dataset"));
    }

    @Test
    void ordersThatAreBoundToTheirRecordsSaySo() throws IOException {
        Path path = RealData.table(folder.resolve("table.npy"), 0, OLD);
        List<Sampler> bound = List.of(
                new BucketSampler(Samplers.lengths(OLD, 1), 4, 40, 1),
                new WeightedSampler(new double[] {1, 2, 3}, 10, 1),
                Samplers.mixture(OLD, new double[] {1, 2}, 100, 1));
        for (Sampler sampler : bound) {
            String message = assertThrows(IllegalArgumentException.class, () -> sampler.resized(NEW))
                    .getMessage();
            assertTrue(message.contains(sampler.name()) && message.contains("813"), message);
            assertEquals(sampler, sampler.resized(sampler.recordCount()));
        }
        LoaderState state;
        try (TableReader table = TableReader.open(path)) {
            state = stateAfter(table, bound.getFirst(), 1);
        }
        RealData.extend(path, OLD, NEW - OLD);
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, options(new BucketSampler(Samplers.lengths(NEW, 1), 4, 40, 1)))) {
            String message = assertThrows(IllegalArgumentException.class, () -> loader.resume(state))
                    .getMessage();
            assertTrue(
                    message.contains("500 records") && message.contains("813") && message.contains("bucket"), message);
        }
    }
}
