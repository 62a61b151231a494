// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Random changes, commits, rollbacks, checkpoints and openings give what plain lists have.
@ExtendWith(Seeds.class)
@Tag("full")
class StoreModelTest {
    private static final long OPERATIONS = TestData.isLong() ? 3_000_000 : 12_000;
    private static final int OPERATIONS_PER_STORE = 4000;

    private final Random random = Seeds.random();
    private MemoryDisk disk;

    private StoreOptions options(boolean isSwapping) {
        StoreOptions.Durability[] durabilities = StoreOptions.Durability.values();
        return StoreOptions.DEFAULT
                .withDurability(durabilities[random.nextInt(durabilities.length)])
                .withDisk(disk)
                .withSwapping(isSwapping)
                .withChunkRows(20)
                .withRotateBytes(20_000);
    }

    private long run(int number) throws IOException {
        disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
        boolean isSwapping = random.nextBoolean();
        StoreCompression compression = StoreCompression.values()[number % 4];
        List<StoreField> fields = List.of(StoreField.bytes("A").withCompression(compression), StoreField.bytes("B"));
        StoreModel model = new StoreModel(random, isSwapping, fields.size());
        StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options(isSwapping));
        long operations = 0;
        List<String> committed = List.of();
        while (operations < OPERATIONS_PER_STORE) {
            for (int i = random.nextInt(12); i >= 0; i--) {
                model.change(store);
                operations++;
            }
            int kind = random.nextInt(40);
            if (kind == 0) {
                store.rollback();
                model.reset(committed);
            } else if (kind == 1) {
                store.abort();
                model.reset(committed);
                store = StoreWriter.open(StoreModel.STORE, options(isSwapping));
            } else {
                store.commit();
                committed = model.state();
            }
            if (kind == 2) {
                store.checkpoint();
            } else if (kind == 3) {
                store.close();
                requirePlain(compression, committed);
                store = StoreWriter.open(StoreModel.STORE, options(isSwapping));
            } else if (kind == 4) {
                assertEquals(committed, StoreModel.read(disk));
            }
        }
        store.close();
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            assertEquals(model.state(), StoreModel.read(reader));
            assertTrue(reader.verify(Progress.NONE).isOk());
            long deleted = model.state().stream()
                    .filter(text -> text.startsWith("deleted"))
                    .count();
            assertEquals(deleted, reader.deletedCount());
        }
        return operations;
    }

    private void requirePlain(StoreCompression compression, List<String> expected) throws IOException {
        if (compression == StoreCompression.RAW) {
            assertEquals(StoreModel.plain(expected), StoreModel.readPlain(disk).state());
        }
    }

    @Test
    void randomOperationsMatchTheModel() throws IOException {
        long operations = 0;
        for (int number = 0; operations < OPERATIONS; number++) {
            operations += run(number);
        }
        Figures.print("store, random operations", operations);
    }
}
