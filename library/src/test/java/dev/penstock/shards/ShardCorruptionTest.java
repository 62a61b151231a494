// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every truncation and every flipped bit of a small corpus: refused, noticed, or harmless, and never a crash.
@ExtendWith(Seeds.class)
final class ShardCorruptionTest {
    private static final Path FOLDER = Path.of("/memory/corpus");
    private static final List<String> SHARDS = List.of("shard_000000.shard", "shard_000001.shard");

    /// Two shards with a manifest.
    private static MemoryDisk corpus() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(FOLDER.getParent());
        ShardWriter.Options options = ShardWriter.Options.DEFAULT.withDisk(disk).withShardRows(2);
        try (ShardWriter writer = ShardWriter.create(FOLDER, 3, options)) {
            writer.append(new double[][] {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
        }
        return disk;
    }

    /// Whether `verify` finds fault with a corpus, or it cannot be opened.
    private static boolean isNoticed(MemoryDisk disk) throws IOException {
        try (ShardReader reader = ShardReader.open(FOLDER, ShardReader.Options.DEFAULT.withDisk(disk))) {
            Verification verification = reader.verify(Progress.NONE);
            return !verification.isOk();
        } catch (DatasetException e) {
            return true;
        }
    }

    @Test
    void everyTruncationIsRefusedAndEveryFlippedBitIsNoticed() throws IOException {
        long flips = 0;
        for (String name : SHARDS) {
            Path file = FOLDER.resolve(name);
            byte[] good = corpus().bytes(file);
            for (int size = 0; size < good.length; size++) {
                MemoryDisk disk = corpus().put(file, Arrays.copyOf(good, size));
                assertFalse(ShardProbe.read(disk, FOLDER, ShardReader.Options.DEFAULT), name + " of " + size);
            }
            for (int bit = 0; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit / 8] ^= (byte) (1 << bit % 8);
                MemoryDisk disk = corpus().put(file, bad);
                assertTrue(isNoticed(disk), name + ", bit " + bit);
                for (Access access : Access.values()) {
                    ShardProbe.read(disk, FOLDER, ShardReader.Options.DEFAULT.withAccess(access));
                    ShardProbe.read(
                            disk,
                            FOLDER,
                            ShardReader.Options.DEFAULT.withAccess(access).withLenient(true));
                }
                flips++;
            }
        }
        Figures.print("shards, single-bit flips", flips);
    }

    /// Without a manifest only the header can be checked: a flipped bit in it is refused or gives other rows, in
    /// the values it gives another value.
    @Test
    void theReaderWithoutManifestNeverReadsOutsideItsFiles() throws IOException {
        Random random = Seeds.random();
        byte[] good = Shards.counting(4, 3, 1);
        int rounds = TestData.isLong() ? 100_000 : 2_000;
        for (int round = 0; round < rounds; round++) {
            byte[] bad = Arrays.copyOf(good, random.nextInt(good.length + 8));
            for (int i = random.nextInt(4); i >= 0 && bad.length > 0; i--) {
                bad[random.nextInt(Math.min(bad.length, 48))] = (byte) random.nextInt();
            }
            MemoryDisk disk = new MemoryDisk().put(FOLDER.resolve("a.shard"), bad);
            boolean isMapped = ShardProbe.read(disk, FOLDER, ShardReader.Options.DEFAULT.withLenient(true));
            boolean isRead = ShardProbe.read(
                    disk, FOLDER, ShardReader.Options.DEFAULT.withLenient(true).withAccess(Access.READ));
            assertEquals(isMapped, isRead);
        }
        Figures.print("shards, random damages", rounds);
    }
}
