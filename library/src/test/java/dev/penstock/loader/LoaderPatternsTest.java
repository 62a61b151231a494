// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Project;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the examples of `docs/loader.md` as they are printed.
class LoaderPatternsTest {
    private final List<Long> seen = new ArrayList<>();

    @TempDir
    Path folder;

    private void train(LoaderBatch batch) {
        for (long row = 0; row < batch.rowCount(); row++) {
            seen.add(batch.index(row));
        }
    }

    @Test
    void anEpochStopsAndGoesOn() throws IOException {
        Dataset dataset = Numbers.of(1000);
        Path file = folder.resolve("state.json");
        int epochCount = 2;
        // [iterate]
        LoaderOptions options = LoaderOptions.of(256).withSampler(new PermutationSampler(dataset.count(), 42));
        try (Loader loader = Loader.open(dataset, options)) {
            while (loader.epoch() < epochCount) {
                for (LoaderBatch batch : loader) {
                    train(batch);
                    Files.writeString(file, loader.state().toJson());
                }
            }
        }
        // [iterate]
        assertEquals(2000, seen.size());
        // [resume]
        try (Loader loader = Loader.open(dataset, options.withBatchSize(100).withRanks(Ranks.of(1, 2)))) {
            loader.resume(LoaderState.parse(Files.readString(file)));
            for (LoaderBatch batch : loader) {
                train(batch);
            }
        }
        // [resume]
        assertEquals(2000, seen.size(), "nothing was left of the epoch");
    }

    @Test
    void aDatasetThatHasGrownIsTakenAtItsOldLengthFirst() throws IOException {
        Dataset dataset = Numbers.of(1000);
        LoaderOptions options = LoaderOptions.of(256).withSampler(new PermutationSampler(dataset.count(), 42));
        try (Loader loader = Loader.open(dataset, options)) {
            LoaderState state = loader.state();
            // [grow]
            loader.resume(state);
            loader.moveOn();
            // [grow]
            assertEquals(1000, loader.recordCount());
        }
    }

    @Test
    void numbersAreConvertedOnTheWay() {
        Dataset images = Numbers.of(10);
        // [convert]
        LoaderOptions options =
                LoaderOptions.of(256).withTransforms(Convert.scaled(ElementType.F32, 1 / 255.0, 0, "value"));
        // [convert]
        try (Loader loader = Loader.open(images, options.withRanks(Ranks.ALONE))) {
            MemorySegment values = loader.iterator().next().column("value").values();
            assertEquals(3 / 255f, values.getAtIndex(ValueLayout.JAVA_FLOAT, 3));
        }
    }

    @Test
    void recordsOfAboutOneLengthArePaddedTogether() throws IOException {
        Path path = folder.resolve("p.a2pack");
        try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
            for (int i = 0; i < 100; i++) {
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(new byte[1 + i * 37 % 100]));
            }
        }
        try (PackReader texts = PackReader.open(path)) {
            // [bucket]
            int[] lengths = BucketSampler.lengths(texts, texts.fields().getFirst());
            LoaderOptions options = LoaderOptions.of(10)
                    .withSampler(new BucketSampler(lengths, 10, 100, 42))
                    .withTransforms(Pad.of("value").withMultiple(8));
            try (Loader loader = Loader.open(texts, options)) {
                for (LoaderBatch batch : loader) {
                    Column padded = batch.column("value");
                    Column mask = batch.column("value_mask");
                    long length = padded.value(0).byteSize();
                    // [bucket]
                    assertEquals(0, length % 8);
                    assertEquals(length, mask.value(0).byteSize());
                    assertEquals(length * 10, padded.valueBytes());
                }
            }
        }
    }

    @Test
    void severalDatasetsAreMixed() {
        Dataset web = Numbers.of(1000);
        Dataset books = Numbers.of(50);
        // [mixture]
        Dataset both = Concat.of(List.of(web, books));
        Sampler mixture = new MixtureSampler(
                List.of(new PermutationSampler(web.count(), 1), new PermutationSampler(books.count(), 2)),
                new double[] {0.7, 0.3},
                10_000,
                42);
        LoaderOptions options = LoaderOptions.of(256).withSampler(mixture);
        // [mixture]
        try (Loader loader = Loader.open(both, options.withRanks(Ranks.ALONE))) {
            loader.forEach(this::train);
        }
        assertEquals(3000, seen.stream().filter(index -> index >= 1000).count(), 300);
    }

    @Test
    void aPlanSaysWhatComes() {
        // [plan]
        Plan plan = Plan.of(new PermutationSampler(1_000_000_000, 42), 256, 8, false);
        long[] indices = plan.indices(3, 1000, 7);
        Plan.Place place = plan.find(3, indices[0]).orElseThrow();
        // [plan]
        assertEquals(256, indices.length);
        assertEquals(1000, place.step());
        assertEquals(7, place.rank());
        assertArrayEquals(indices, plan.indices(3, place.step(), place.rank()));
    }

    @Test
    void thePageShowsTheCodeOfThisTest() {
        int lineCount = Project.requireShown(
                "docs/loader.md", "library/src/test/java/dev/penstock/loader/LoaderPatternsTest.java");
        assertTrue(lineCount > 40, lineCount + " lines");
    }
}
