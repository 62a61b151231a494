// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The entries of a tree as records, in the order of their paths: `path` and `value`.
///
/// Entries are found one after another only, so a gather of records behind those of the last gather goes on from
/// there, and any other starts at the first entry. One partition reads a whole tree.
///
/// **Threads.** One thread at a time.
final class TreeEntries implements Dataset {
    private static final List<Field> FIELDS =
            List.of(Field.variable("path", ElementType.BYTES), Field.fixed("value", ElementType.U64));

    private final TreeReader tree;
    private final Buffer paths = new Buffer();
    private TreeScan scan;
    /// The index of the entry that the scan has not yet come to.
    private long next;

    TreeEntries(TreeReader tree) {
        this.tree = tree;
    }

    @Override
    public String format() {
        return "tree";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public Location location() {
        return tree.location();
    }

    @Override
    public long count() {
        return tree.count();
    }

    @Override
    public long bytes() {
        return tree.bytes();
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public Row get(long index) {
        moveTo(Objects.checkIndex(index, count()));
        MemorySegment value = MemorySegment.ofArray(new byte[Long.BYTES]);
        value.set(U64, 0, scan.value());
        return new Row(index, List.of(MemorySegment.ofArray(path()), value));
    }

    private byte[] path() {
        return Arrays.copyOf(scan.pathBytes(), scan.pathSize());
    }

    private void moveTo(long index) {
        if (scan == null || index < next - 1) {
            scan = tree.scan();
            next = 0;
        }
        for (; next <= index; next++) {
            scan.next();
        }
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) {
        long rowCount = indices.byteSize() / U64.byteSize();
        for (long row = 0; row < rowCount; row++) {
            Objects.checkIndex(indices.getAtIndex(U64, row), count());
        }
        batch.clear();
        for (Column column : batch.columns()) {
            if (column.field().isVariable()) {
                column.reserveOffsets(rowCount).setAtIndex(U64, 0, 0L);
            } else {
                column.reserveValues(rowCount * Long.BYTES);
            }
        }
        long used = 0;
        for (long row = 0; row < rowCount; row++) {
            moveTo(indices.getAtIndex(U64, row));
            for (Column column : batch.columns()) {
                if (column.field().isVariable()) {
                    used = addPath(column, row, rowCount, used);
                } else {
                    column.memory().setAtIndex(U64, row, scan.value());
                }
            }
        }
        for (Column column : batch.columns()) {
            if (column.field().isVariable()) {
                MemorySegment.copy(paths.reserve(used), 0, column.reserveValues(used), 0, used);
            }
        }
        batch.complete(rowCount);
    }

    private long addPath(Column column, long row, long rowCount, long used) {
        byte[] path = path();
        long end = used + path.length;
        MemorySegment old = paths.reserve(used);
        if (old.byteSize() < end) {
            byte[] kept = old.asSlice(0, used).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            paths.reserve(end).asSlice(0, used).copyFrom(MemorySegment.ofArray(kept));
        }
        paths.reserve(end).asSlice(used, path.length).copyFrom(MemorySegment.ofArray(path));
        column.reserveOffsets(rowCount).setAtIndex(U64, row + 1, end);
        return end;
    }

    @Override
    public void prepare() {
        // The tree is mapped, and read once.
    }

    @Override
    public Verification verify(Progress progress) {
        return tree.verify(progress);
    }

    @Override
    public String fingerprint() throws IOException {
        return tree.fingerprint();
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public Map<String, Object> facts() {
        return Map.of();
    }

    @Override
    public void close() {
        paths.close();
        tree.close();
    }
}
