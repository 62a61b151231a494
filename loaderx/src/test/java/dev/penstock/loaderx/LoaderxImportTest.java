// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.Location;
import dev.penstock.store.StoreReader;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Stores of loaderx are found as sources of conversions, and are not opened as datasets.
final class LoaderxImportTest {
    private static final int RECORD_SIZE = 1 << 20;

    @TempDir
    private Path folder;

    private final Random random = new Random(7);

    /// A store as loaderx 0.5 writes it, with records of 1 MiB.
    private Path store(String name, int recordCount) throws IOException {
        Path old = Files.createDirectory(folder.resolve(name));
        ByteBuffer meta = ByteBuffer.allocate(16 + 16 * recordCount).order(ByteOrder.LITTLE_ENDIAN);
        meta.put("ZREC".getBytes(StandardCharsets.US_ASCII)).putShort((short) 1).putShort((short) 0);
        meta.putInt(recordCount * RECORD_SIZE).putInt(recordCount);
        for (int i = 0; i < recordCount; i++) {
            meta.putInt(i * RECORD_SIZE).putInt(RECORD_SIZE).putInt(RECORD_SIZE).putInt(0);
        }
        byte[] payload = new byte[recordCount * RECORD_SIZE];
        random.nextBytes(payload);
        Files.write(old.resolve("meta.zr"), meta.array());
        Files.write(old.resolve("0.zr"), payload);
        return old;
    }

    @Test
    void anInterruptedImportOfTwoStoresGoesOnBehindTheLastCommit() throws IOException {
        int count = 40;
        List<Path> olds = List.of(store("a", count), store("b", count));
        FaultyDisk sound = disk(Long.MAX_VALUE);
        importJoined(olds, folder.resolve("whole"), sound);
        // The last operations read each record to compare it, and those before them read the records to copy them.
        Path target = folder.resolve("target");
        Conversion.Report report = null;
        for (long behind = count / 4; report == null; behind += count / 4) {
            target = folder.resolve("target" + behind);
            Path interrupted = target;
            FaultyDisk failing = disk(sound.operationCount() - behind);
            assertThrows(IOException.class, () -> importJoined(olds, interrupted, failing));
            assertFalse(Files.exists(target), "nothing appears before the end");
            Conversion.Report continued = importJoined(olds, target, Disk.real());
            assertTrue(continued.resumedAt() > 0, "the first store was committed");
            report = continued.resumedAt() < count ? continued : null;
        }
        assertEquals(count, report.records());
        try (StoreReader store = StoreReader.open(target)) {
            byte[] last = Files.readAllBytes(olds.getLast().resolve("0.zr"));
            assertArrayEquals(
                    Arrays.copyOfRange(last, last.length - RECORD_SIZE, last.length),
                    store.get(count - 1).value(1).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static FaultyDisk disk(long failingOperation) {
        return new FaultyDisk(Disk.real(), new FaultyDisk.Plan(failingOperation, FaultyDisk.Fault.EIO, true));
    }

    private static Conversion.Report importJoined(List<Path> olds, Path target, Disk disk) throws IOException {
        try (RecordSource records = Sources.joined(List.of(
                LoaderxRecords.open(olds.getFirst(), Disk.real(), "a"),
                LoaderxRecords.open(olds.getLast(), disk, "b")))) {
            return Conversion.of(records, target, "store", TargetOptions.DEFAULT)
                    .run(Progress.NONE, Progress.NONE);
        }
    }

    @Test
    void aStoreIsASourceAndNoDataset() throws IOException {
        Path old = store("old", 2);
        assertTrue(Sources.isKnown(Location.of(old), Catalog.Options.DEFAULT));
        assertTrue(Catalog.format(old, Catalog.Options.DEFAULT).isEmpty());
        DatasetException.WrongFormat refusal =
                assertThrows(DatasetException.WrongFormat.class, () -> Catalog.open(old));
        assertTrue(refusal.getMessage().contains("this is a loaderx store; copy it with `penstock store import`"));
    }
}
