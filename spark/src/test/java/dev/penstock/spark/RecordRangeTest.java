// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Shard;
import dev.penstock.file.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// How records are divided into partitions, and how types of fields are written.
class RecordRangeTest {
    private static List<Shard> shards(long... counts) {
        List<Shard> shards = new ArrayList<>();
        long first = 0;
        for (long count : counts) {
            shards.add(new Shard(Location.parse("/data/" + first), first, count));
            first += count;
        }
        return shards;
    }

    private static RecordRange range(long first, long limit) {
        return new RecordRange(first, limit);
    }

    @Test
    void smallShardsShareAPartitionAndLargeOnesAreCut() {
        assertEquals(
                List.of(range(0, 10), range(10, 20), range(20, 30), range(30, 40), range(40, 45)),
                RecordRange.divide(shards(4, 6, 30, 5), range(0, 45), 10));
        assertEquals(List.of(range(3, 15)), RecordRange.divide(shards(10, 10), range(3, 15), 100));
        assertEquals(List.of(range(3, 10), range(10, 15)), RecordRange.divide(shards(10, 10), range(3, 15), 8));
        assertEquals(List.of(), RecordRange.divide(shards(0, 0), range(0, 0), 8));
        assertEquals(List.of(range(0, 8)), RecordRange.divide(shards(0, 8, 0), range(0, 8), 8));
    }

    @Test
    void everyRecordIsInOnePartition() {
        Random random = new Random(1);
        for (int round = 0; round < 2000; round++) {
            long[] counts = random.longs(random.nextInt(1, 8), 0, 50).toArray();
            List<Shard> shards = shards(counts);
            long count = shards.getLast().firstIndex() + shards.getLast().recordCount();
            long first = random.nextLong(count + 1);
            long limit = first + random.nextLong(count - first + 1);
            long max = random.nextLong(1, 40);
            long next = first;
            for (RecordRange part : RecordRange.divide(shards, range(first, limit), max)) {
                assertEquals(next, part.firstIndex());
                assertTrue(part.limitIndex() > next && part.limitIndex() - next <= max, part + " of at most " + max);
                next = part.limitIndex();
            }
            assertEquals(limit, next);
        }
    }

    @Test
    void typesAreReadAsTheyAreWritten() {
        for (String type :
                List.of("u8", "f32[768]", "u8[32,32,3]", "utf8(16)", "utf8", "i32[]", "f32[][3]", "bytes(3)[2]")) {
            assertEquals(type, FieldType.parse(type).toString());
        }
        Map<String, FieldType> types = FieldType.parseAll(" label u8, image: u8[2, 2] ,`a, b` utf8(4)");
        assertEquals(List.of("label", "image", "a, b"), List.copyOf(types.keySet()));
        assertEquals(List.of(2L, 2L), types.get("image").shape());
        for (String bad : List.of("u8", "a", "a u8,, b u8", "a u8(3)", "a f32[x]", "a float")) {
            assertThrows(IllegalArgumentException.class, () -> FieldType.parseAll(bad), bad);
        }
    }
}
