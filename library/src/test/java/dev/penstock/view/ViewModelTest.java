// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Views of random tables, packs and other views equal arrays that were combined in the same way.
@ExtendWith(Seeds.class)
@Tag("full")
class ViewModelTest {
    private static final int ROUNDS = TestData.isLong() ? 100 : 6;
    private static final int GATHERS = TestData.isLong() ? 400 : 15;
    private static final int THREADS = 4;

    private enum Kind {
        TABLE,
        PACK,
        MEMORY;

        ViewModel part(Random random, Path folder) throws IOException {
            int count = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 25);
            return switch (this) {
                case TABLE -> ViewModel.table(random, count, folder);
                case PACK -> ViewModel.pack(random, count, folder);
                case MEMORY -> ViewModel.memory(random, count);
            };
        }
    }

    /// Several parts, some of which are views.
    private static ViewModel concat(Random random, Kind kind, Path folder) throws IOException {
        List<ViewModel> parts = new ArrayList<>();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            ViewModel part = kind.part(random, folder);
            parts.add(random.nextInt(4) == 0 ? part.subset(random, random.nextInt(20)) : part);
        }
        if (random.nextInt(3) == 0) {
            parts.add(parts.getFirst());
        }
        return ViewModel.concat(parts);
    }

    private static void requireSame(ViewModel view, Random random) throws IOException {
        assertEquals(view.records().length, view.dataset().count());
        for (int i = 0; i < 12; i++) {
            view.requireRandomGather(random);
            view.requireRandomRecord(random);
        }
    }

    @Test
    void aConcatHoldsTheRecordsOfItsParts(@TempDir Path folder) throws IOException {
        Random random = Seeds.random();
        for (int round = 0; round < ROUNDS; round++) {
            Kind kind = Kind.values()[round % Kind.values().length];
            ViewModel concat = concat(random, kind, folder);
            requireSame(concat, random);
            requireSame(concat.subset(random, 30), random);
            requireSame(ViewModel.concat(List.of(concat, concat(random, kind, folder))), random);
        }
    }

    /// Parts of all kinds, some of them views, with the same number of records.
    private static ViewModel zip(Random random, Path folder) throws IOException {
        int count = random.nextInt(40);
        Map<String, ViewModel> parts = new LinkedHashMap<>();
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            ViewModel part = concat(random, kind, folder);
            while (part.records().length == 0) {
                part = concat(random, kind, folder);
            }
            parts.put("part" + i, part.subset(random, count));
        }
        return ViewModel.zip(parts);
    }

    @Test
    void aZipHoldsTheFieldsOfItsParts(@TempDir Path folder) throws IOException {
        Random random = Seeds.random();
        for (int round = 0; round < ROUNDS; round++) {
            ViewModel zip = zip(random, folder);
            requireSame(zip, random);
            requireSame(zip.subset(random, 30), random);
            requireSame(ViewModel.concat(List.of(zip, zip.subset(random, 10), zip)), random);
            requireSame(ViewModel.zip(Map.of("all", zip, "again", zip)), random);
        }
    }

    @Test
    void manyThreadsGatherDifferentFieldsOfOneView(@TempDir Path folder) throws Exception {
        Random random = Seeds.random();
        for (Kind kind : Kind.values()) {
            requireSameInThreads(concat(random, kind, folder), random.nextLong());
        }
        for (int round = 0; round < 3; round++) {
            requireSameInThreads(zip(random, folder), random.nextLong());
        }
    }

    private static void requireSameInThreads(ViewModel view, long seed) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed + i);
                futures.add(threads.submit(() -> {
                    for (int round = 0; round < GATHERS; round++) {
                        view.requireRandomGather(random);
                    }
                    return null;
                }));
            }
        }
        for (Future<?> future : futures) {
            future.get();
        }
    }
}
