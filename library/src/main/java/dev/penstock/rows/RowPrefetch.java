// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Residency;
import java.lang.foreign.MemorySegment;

/// Prefetches rows that are about to be read, if their files do not stay resident. The caller holds the files
/// open.
record RowPrefetch(RowFiles files) {
    /// Prefetches the pages of rows, neighbours in one call, unless all of them are resident.
    void announce(MemorySegment places, long rowCount) {
        Residency residency = files.files().residency();
        if (!residency.isStreamed() || files.rowSize() == 0) {
            return;
        }
        if (residency.hasMost(rowCount, row -> places.getAtIndex(U64, row))) {
            return;
        }
        long start = 0;
        long limit = 0;
        for (long row = 0; row < rowCount; row++) {
            long place = places.getAtIndex(U64, row);
            if (place != limit) {
                residency.willNeedAt(start, limit - start);
                start = place;
            }
            limit = place + files.rowSize();
        }
        residency.willNeedAt(start, limit - start);
    }

    /// Prefetches consecutive rows.
    void announce(long firstRow, long rowCount) {
        Residency residency = files.files().residency();
        if (!residency.isStreamed() || !files.isAddressable()) {
            return;
        }
        long row = firstRow;
        while (row < firstRow + rowCount) {
            int fileIndex = files.fileOf(row);
            long limit = Math.min(firstRow + rowCount, files.start(fileIndex + 1));
            residency.willNeedAt(files.places().address(row), (limit - row) * files.rowSize());
            row = limit;
        }
    }
}
