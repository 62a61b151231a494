// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.StoredRows;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Windows over stored rows. The dataset copies whole windows instead of single rows.
final class StoredWindows extends Windows implements StoredRows {
    private final StoredRows rows;

    StoredWindows(StoredRows rows, long length, long stride, long[] rangeStarts, long[] firsts) {
        super(rows, length, stride, rangeStarts, firsts);
        this.rows = rows;
    }

    @Override
    void gatherWindows(MemorySegment firstRows, Batch batch) throws IOException {
        if (!rows.gatherRanges(firstRows, length(), batch)) {
            super.gatherWindows(firstRows, batch);
        }
    }

    @Override
    public void read(MemorySegment indices, MemorySegment target) throws IOException {
        withFirstRows(indices, firstRows -> rows.readRanges(firstRows, length(), target));
    }

    @Override
    public String itemType() {
        return rows.itemType();
    }

    @Override
    public List<Long> rowShape() {
        List<Long> shape = new ArrayList<>(List.of(length()));
        shape.addAll(rows.rowShape());
        return shape;
    }

    @Override
    public long rowSize() {
        return Math.multiplyExact(length(), rows.rowSize());
    }

    /// Empty, because windows may overlap, so no file holds them one after another.
    @Override
    public List<Location> arrayFiles() {
        return List.of();
    }
}
