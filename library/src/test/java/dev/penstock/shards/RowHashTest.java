// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Json;
import dev.penstock.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// The samples of the original.
final class RowHashTest {
    private static Json vectors() throws IOException {
        return Json.read(TestData.path("shards/vectors.json"));
    }

    @Test
    void theHashIsThatOfTheOriginal() throws IOException {
        for (Json vector : vectors().get("splitmix64").items()) {
            long hash = RowHash.splitMix64(Long.parseUnsignedLong(vector.get(0).text()));
            assertEquals(vector.get(1).text(), HexFormat.of().toHexDigits(hash));
        }
    }

    @Test
    void fractionsHaveTheRowsOfTheOriginal() throws IOException {
        for (Json vector : vectors().get("row_in_fraction").items()) {
            double fraction = Double.longBitsToDouble(
                    HexFormat.fromHexDigitsToLong(vector.get("fraction_bits").text()));
            requireIds(vector, ShardSample.of(fraction, null));
        }
    }

    @Test
    void seedsHaveTheRowsOfTheOriginal() throws IOException {
        for (Json vector : vectors().get("row_included").items()) {
            long seed = Long.parseUnsignedLong(vector.get("seed").text());
            requireIds(
                    vector, ShardSample.of(Double.parseDouble(vector.get("pi").plain()), seed));
        }
    }

    private static void requireIds(Json vector, ShardSample sample) {
        long[] ids = sample.ids(0, vector.get("n").number());
        assertEquals(vector.get("count").number(), ids.length);
        for (int i = 0; i < vector.get("first").items().size(); i++) {
            assertEquals(vector.get("first").get(i).number(), ids[i]);
        }
        ByteBuffer bytes = ByteBuffer.allocate(ids.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(ids);
        assertEquals(vector.get("ids_sha256").text(), Shards.sha256(bytes.array()));
    }

    @Test
    void nothingAndEverythingAreFractionsToo() {
        assertFalse(RowHash.isInFraction(0, 0));
        assertFalse(RowHash.isInFraction(0, -1));
        assertFalse(RowHash.isInFraction(0, Double.NaN));
        assertTrue(RowHash.isInFraction(0, 1));
        assertTrue(RowHash.isIncluded(0, 1, 2));
    }
}
