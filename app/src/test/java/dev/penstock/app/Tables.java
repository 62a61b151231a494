// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Tables for tests, whose rows of 32 bytes say which they are.
final class Tables {
    private static final RowType ROW =
            RowType.of(DType.parse("[('id', '<u8'), ('kind', '<u8'), ('weight', '<f8'), ('pair', '<i4', (2,))]"));

    private Tables() {}

    /// Row `i` has `id` i, `kind` i modulo 4 and a `weight` of 0 or 1 in turn.
    static Path write(Path path, long rowCount) throws IOException {
        try (TableWriter writer = TableWriter.create(path, ROW, TableWriter.Options.DEFAULT)) {
            byte[] rows = new byte[(int) (rowCount * ROW.size())];
            MemorySegment segment = MemorySegment.ofArray(rows);
            for (long row = 0; row < rowCount; row++) {
                segment.set(U64, row * ROW.size(), row);
                segment.set(U64, row * ROW.size() + 8, row % 4);
                segment.set(U64, row * ROW.size() + 16, Double.doubleToLongBits(row % 2));
            }
            writer.append(segment);
        }
        return path;
    }
}
