// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/// The entries of a tree in the order of their paths, each as a record of two fields: `path` and `value`.
record TreeRecords(TreeReader tree) implements RecordSource {
    private static final int ROWS = 1 << 14;
    private static final int PATH_BYTES = 1 << 20;
    private static final List<Field> FIELDS =
            List.of(Field.variable("path", ElementType.BYTES), Field.fixed("value", ElementType.U64));

    @Override
    public String name() {
        return tree.location().toString();
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public String fingerprint() throws IOException {
        return tree.fingerprint();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        long total = tree.count();
        long done = 0;
        TreeScan scan = tree.scan();
        byte[] paths = new byte[PATH_BYTES];
        try (Batch batch = Batch.create(FIELDS)) {
            boolean hasNext = scan.next();
            while (hasNext) {
                MemorySegment offsets = batch.column(0).reserveOffsets(ROWS);
                MemorySegment values = batch.column(1).reserveValues(ROWS * (long) Long.BYTES);
                offsets.setAtIndex(Layouts.U64, 0, 0);
                int rowCount = 0;
                int used = 0;
                while (hasNext && rowCount < ROWS && (rowCount == 0 || used + scan.pathSize() <= PATH_BYTES)) {
                    paths = used + scan.pathSize() > paths.length ? new byte[scan.pathSize()] : paths;
                    System.arraycopy(scan.pathBytes(), 0, paths, used, scan.pathSize());
                    used += scan.pathSize();
                    values.setAtIndex(Layouts.U64, rowCount++, scan.value());
                    offsets.setAtIndex(Layouts.U64, rowCount, used);
                    hasNext = scan.next();
                }
                complete(batch.column(0), paths, used);
                batch.complete(rowCount);
                receiver.accept(null, batch);
                done += rowCount;
                progress.at(done, total);
            }
        }
    }

    private static void complete(Column column, byte[] paths, int byteCount) {
        MemorySegment.copy(MemorySegment.ofArray(paths), 0, column.reserveValues(byteCount), 0, byteCount);
    }

    @Override
    public void close() {
        tree.close();
    }
}
