// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.MappingLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Opening and closing a thousand times, well or badly, leaves no mapping and no descriptor.
class PackLeakTest {
    private static final int ROUNDS = 1000;

    @TempDir
    Path folder;

    private int liveBefore;

    @BeforeEach
    void countMappings() {
        liveBefore = MappingLimit.live();
    }

    private void requireNothingLeft() throws IOException {
        assertEquals(List.of(), OpenResources.under(folder));
        assertEquals(liveBefore, MappingLimit.live());
    }

    @ParameterizedTest
    @EnumSource
    void openingAndClosingLeavesNothing(Access access) throws IOException {
        Path file = folder.resolve("pack");
        Packs.write(file, Packs.options(), Packs.named(Packs.SAMPLE), null, true);
        PackReader.Options options = PackReader.Options.DEFAULT.withAccess(access);
        for (int round = 0; round < ROUNDS; round++) {
            try (PackReader reader = PackReader.open(file, options);
                    Batch batch = Batch.create(reader.fields())) {
                reader.gather(new long[] {0, 5}, batch);
                assertEquals(2, batch.rowCount());
            }
        }
        requireNothingLeft();
    }

    @ParameterizedTest
    @EnumSource
    void openingBadPacksLeavesNothing(Access access) throws IOException {
        List<Path> bad;
        try (Stream<Path> files = Files.list(TestData.path("pack/bad"))) {
            bad = files.toList();
        }
        for (Path file : bad) {
            Files.copy(file, folder.resolve(file.getFileName()));
        }
        PackReader.Options options = PackReader.Options.DEFAULT.withAccess(access);
        int refusals = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Path file = folder.resolve(bad.get(round % bad.size()).getFileName());
            try (PackReader reader = PackReader.open(file, options)) {
                reader.verify(Progress.NONE);
            } catch (DatasetException e) {
                refusals++;
            }
        }
        assertTrue(refusals > ROUNDS / 3, refusals + " refusals");
        requireNothingLeft();
    }

    @Test
    void absentFilesAndFoldersLeaveNothing() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            Access access = Access.values()[round % 2];
            PackReader.Options options = PackReader.Options.DEFAULT.withAccess(access);
            assertThrows(IOException.class, () -> PackReader.open(folder.resolve("absent"), options));
            assertThrows(Exception.class, () -> PackReader.open(folder, options));
        }
        requireNothingLeft();
    }

    @Test
    void writersThatAreAbortedLeaveNothing() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            PackWriter writer = PackWriter.create(folder.resolve("pack"), Packs.options());
            writer.abort();
        }
        requireNothingLeft();
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void scansThatAreLeftHalfWayLeaveNothing() throws IOException {
        Path file = folder.resolve("pack");
        Packs.write(file, Packs.options(), PackRecord.random(new Random(1), 3000, 500, false), null, true);
        for (int round = 0; round < 100; round++) {
            try (PackReader reader = PackReader.open(file);
                    PackScan scan = reader.scan()) {
                for (int i = 0; i < round; i++) {
                    assertTrue(scan.next());
                }
            }
        }
        requireNothingLeft();
    }
}
