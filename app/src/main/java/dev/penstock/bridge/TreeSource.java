// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.tree.HybridScan;
import dev.penstock.tree.PathScan;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// A scan over the paths and values of a tree, in batches.
///
/// **Threads.** Safe for any number of threads, which take turns.
final class TreeSource implements AutoCloseable {
    private static final List<Field> FIELDS =
            List.of(Field.variable("path", ElementType.BYTES), Field.fixed("value", ElementType.U64));

    private static final int COUNT_MAX = 4096;
    private static final int BYTES_MAX = 1 << 20;

    private final PathScan scan;
    private final HeldBatches held = new HeldBatches(FIELDS);

    TreeSource(PathScan scan) {
        this.scan = scan;
    }

    /// @return null at the end of the scan
    synchronized HeldBatch next() {
        HeldBatch one = held.borrow();
        try {
            if (fill(one.batch())) {
                return one;
            }
        } catch (Throwable e) {
            one.close();
            throw e;
        }
        one.close();
        return null;
    }

    private boolean fill(Batch batch) {
        ByteArrayOutputStream paths = new ByteArrayOutputStream();
        MemorySegment offsets = batch.column(0).reserveOffsets(COUNT_MAX);
        MemorySegment values = batch.column(1).reserveValues((long) COUNT_MAX * Long.BYTES);
        offsets.setAtIndex(ValueLayout.JAVA_LONG, 0, 0);
        int count = 0;
        while (count < COUNT_MAX && paths.size() < BYTES_MAX && scan.next()) {
            paths.write(scan.pathBytes(), 0, scan.pathSize());
            values.setAtIndex(ValueLayout.JAVA_LONG, count++, scan.value());
            offsets.setAtIndex(ValueLayout.JAVA_LONG, count, paths.size());
        }
        Column bytes = batch.column(0);
        MemorySegment.copy(
                paths.toByteArray(), 0, bytes.reserveValues(paths.size()), ValueLayout.JAVA_BYTE, 0, paths.size());
        batch.complete(count);
        return count > 0;
    }

    @Override
    public synchronized void close() {
        if (scan instanceof HybridScan changing) {
            changing.close();
        }
        held.close();
    }
}
