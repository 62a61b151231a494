// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The figures of a plan for remote storage follow from the sizes, prices and speeds that it is given.
class RemotePlanTest {
    private static final long RECORDS = 10_000_000;

    private static List<RemotePlan.Way> ways(double recordBytes, long cacheBytes) {
        return plan(recordBytes, cacheBytes).ways();
    }

    private static RemotePlan plan(double recordBytes, long cacheBytes) {
        return new RemotePlan(RECORDS, recordBytes, 256, new RemoteCosts(cacheBytes, 10, 0.0004, 0.09, 0.03, 500e6), 1);
    }

    @Test
    void aCacheOfAQuarterHitsAQuarterAndReadsTheRest() {
        List<RemotePlan.Way> ways = ways(100_000, 250_000_000_000L);
        RemotePlan.Way full = ways.getFirst();
        assertEquals(0.25, full.hits());
        assertTrue(
                full.later().requests() >= 0.75 * RECORDS * 0.5,
                () -> full.later().toString());
        assertTrue(
                full.later().bytes() >= 0.75 * RECORDS * 100_000,
                () -> full.later().toString());
        for (RemotePlan.Way block : ways.subList(1, ways.size() - 1)) {
            assertEquals(0.75e12, block.later().bytes(), 1e6);
            assertTrue(block.later().requests() < full.later().requests() / 5);
            assertEquals(1e12, block.first().bytes(), 1e6);
        }
        assertEquals(0, ways.getLast().later().bytes());
    }

    @Test
    void aCacheForAllNeedsNoFurtherRequests() {
        RemotePlan plan = plan(2048, 1L << 50);
        List<RemotePlan.Way> ways = plan.ways();
        assertEquals(RemotePlan.Reads.NONE, ways.getFirst().later());
        assertEquals(ways.getFirst(), plan.recommended(ways));
        assertEquals(plan.datasetBytes(), ways.getFirst().first().bytes(), 1);
    }

    @Test
    void largerWindowsShuffleBetter() {
        List<RemotePlan.Way> ways = ways(100_000, 0);
        double before = 0;
        for (RemotePlan.Way way : ways.subList(1, ways.size() - 1)) {
            assertTrue(way.quality().effectiveBatch() > before, way::toString);
            before = way.quality().effectiveBatch();
        }
    }

    @Test
    void aFullShuffleOfSmallRecordsWithoutACacheIsNotRecommended() {
        RemotePlan plan = plan(2048, 0);
        List<RemotePlan.Way> ways = plan.ways();
        assertTrue(plan.recommended(ways) != ways.getFirst());
    }

    @Test
    void theCostIsThatOfRequestsAndBytes() {
        RemoteCosts costs = new RemoteCosts(0, 3, 0.5, 0.1, 0, 1);
        assertEquals(0.5 * 2 + 0.1 * 4, costs.of(new RemotePlan.Reads(2000, 4e9)), 1e-12);
    }
}
