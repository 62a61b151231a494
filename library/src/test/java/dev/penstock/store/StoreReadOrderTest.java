// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Values are read chunk by chunk and page by page, and the answer has the order of the request.
@ExtendWith(Seeds.class)
class StoreReadOrderTest {
    private final Random random = Seeds.random();

    private StoreEntry randomEntry() {
        return random.nextInt(10) == 0
                ? StoreEntry.MISSING
                : new StoreEntry(random.nextInt(4), random.nextInt(1 << 20), 1 + random.nextInt(100));
    }

    @Test
    void rowsAreSortedByChunkAndPage() {
        ReadOrder order = new ReadOrder();
        for (int count : new int[] {0, 1, 2, 500, 20}) {
            List<StoreEntry> entries = new ArrayList<>();
            order.begin(count);
            for (int row = 0; row < count; row++) {
                entries.add(randomEntry());
                order.set(row, entries.getLast());
            }
            order.sort();
            boolean[] isSeen = new boolean[count];
            long last = -1;
            for (int at = 0; at < count; at++) {
                int row = order.row(at);
                assertFalse(isSeen[row]);
                isSeen[row] = true;
                StoreEntry entry = entries.get(row);
                long page = entry.chunk() << 40 | entry.offset() / 4096;
                assertTrue(!entry.hasBytes() || page >= last, "page " + page + " after " + last);
                last = entry.hasBytes() ? page : last;
            }
        }
    }

    @Test
    void rowsOfOneChunkAreNoMixture() {
        ReadOrder order = new ReadOrder();
        order.begin(3);
        order.set(0, new StoreEntry(7, 5000, 10));
        order.set(1, StoreEntry.MISSING);
        order.set(2, new StoreEntry(7, 0, 10));
        assertFalse(order.isMixed());
        order.begin(2);
        order.set(0, new StoreEntry(7, 5000, 10));
        order.set(1, new StoreEntry(8, 5000, 10));
        assertTrue(order.isMixed());
    }

    @Test
    void chunksBeyondTheLimitsAreReadInTheOrderOfTheRequest() {
        ReadOrder order = new ReadOrder();
        for (StoreEntry large : List.of(new StoreEntry(1 << 20, 0, 5), new StoreEntry(0, 1L << 50, 5))) {
            order.begin(3);
            order.set(0, new StoreEntry(3, 100, 10));
            order.set(1, large);
            order.set(2, new StoreEntry(1, 100, 10));
            order.sort();
            assertEquals(List.of(0, 1, 2), List.of(order.row(0), order.row(1), order.row(2)));
        }
    }

    @Test
    void valuesOfManyChunksComeInTheOrderOfTheRequest() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
        List<StoreField> fields = List.of(
                StoreField.bytes("A").withCompression(StoreCompression.ZSTD),
                new StoreField("B", "i32", List.of(), StoreCompression.RAW));
        int count = 100;
        StoreOptions options = StoreOptions.DEFAULT.withDisk(disk).withChunkRows(3);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options)) {
            for (int i = 0; i < count; i++) {
                byte[] number = {(byte) i, 0, 0, 0};
                store.append(
                        Arrays.asList(i % 7 == 0 ? null : ("v" + i).repeat(i).getBytes(), number));
            }
            // Values in other chunks than their neighbours.
            for (int i = 0; i < count; i += 3) {
                store.update(i, "A", ("new" + i).getBytes());
            }
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk);
                Batch batch = Batch.create(reader.fields())) {
            long[] indices = random.longs(300, 0, count).toArray();
            reader.gather(indices, batch);
            for (int row = 0; row < indices.length; row++) {
                int index = (int) indices[row];
                String expected = index % 3 == 0 ? "new" + index : ("v" + index).repeat(index);
                boolean isMissing = index % 7 == 0 && index % 3 != 0;
                assertEquals(isMissing, batch.column(0).isMissing(row));
                assertEquals(
                        isMissing ? "" : expected,
                        new String(batch.column(0).value(row).toArray(Layouts.U8)));
                assertEquals(index, batch.column(1).value(row).get(Layouts.U32, 0));
            }
        }
    }
}
