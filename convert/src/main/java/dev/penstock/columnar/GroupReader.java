// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.convert.BadInput;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.RowGroup;

/// Reads the rows of one row group into batches.
final class GroupReader {
    private static final long BATCH_BYTES = 2L << 20;
    private static final int ROWS_MAX = 1 << 16;
    private static final long WINDOW_BYTES = 16L << 20;
    private static final int WINDOW_MIN = 1 << 14;
    private static final int WINDOW_MAX = 1 << 18;

    private final ParquetFooter footer;
    private final int index;
    private final List<ColumnField> columns;
    private final List<ParquetNode> nodes = new ArrayList<>();
    private final List<LeafReader> read = new ArrayList<>();
    private final Assembly assembly;
    private final int rowsAtOnce;
    private long row;

    GroupReader(
            ParquetFooter footer,
            int index,
            List<ColumnField> all,
            List<Field> fields,
            Disk.Readable file,
            Pages pages) {
        this.footer = footer;
        this.index = index;
        this.columns = fields.stream()
                .map(field -> all.stream()
                        .filter(column -> column.field().equals(field))
                        .findFirst()
                        .orElseThrow())
                .toList();
        List<ParquetLeaf> wanted = new ArrayList<>();
        for (ColumnField column : columns) {
            List<Integer> path = column.path();
            ParquetNode node = footer.columns().get(path.getFirst()).at(path.subList(1, path.size()));
            nodes.add(node);
            node.addLeaves(wanted);
        }
        RowGroup group = footer.group(index);
        LeafReader[] leaves = new LeafReader[group.getColumnsSize()];
        int window = Math.clamp(WINDOW_BYTES / Math.max(1, wanted.size()), WINDOW_MIN, WINDOW_MAX);
        long size = 0;
        for (ParquetLeaf leaf : wanted) {
            if (leaves[leaf.index()] == null) {
                ColumnMetaData meta = group.getColumns().get(leaf.index()).getMeta_data();
                leaves[leaf.index()] =
                        new LeafReader(leaf, footer.location(), index, meta, bytes(leaf, meta, file, window), pages);
                read.add(leaves[leaf.index()]);
                size += Math.max(meta.getTotal_uncompressed_size(), meta.getNum_values());
            }
        }
        this.assembly = new Assembly(leaves);
        long rowSize = Math.max(1, size / Math.max(1, group.getNum_rows()));
        this.rowsAtOnce = Math.clamp(BATCH_BYTES / rowSize, 1, ROWS_MAX);
    }

    private ChunkBytes bytes(ParquetLeaf leaf, ColumnMetaData meta, Disk.Readable file, int window) {
        long start = meta.getData_page_offset();
        if (meta.isSetDictionary_page_offset() && meta.getDictionary_page_offset() > 0) {
            start = Math.min(start, meta.getDictionary_page_offset());
        }
        long size = meta.getTotal_compressed_size();
        boolean isInside = start >= ParquetFooter.MAGIC.length && size >= 0 && size <= footer.size() - start;
        if (!isInside) {
            throw ParquetFooter.corrupt(
                    footer.location(),
                    Math.max(0, start),
                    Reason.TRUNCATED,
                    "row group " + index + ", column " + leaf.name() + ": it lies outside of the file");
        }
        return new ChunkBytes(file, start, start + size, window);
    }

    /// The rows of the group that have not been read.
    long left() {
        return footer.group(index).getNum_rows() - row;
    }

    /// Reads the next rows.
    void read(Batch batch) throws IOException {
        int count = (int) Math.min(rowsAtOnce, left());
        for (LeafReader leaf : read) {
            leaf.read(count);
        }
        batch.clear();
        for (int i = 0; i < columns.size(); i++) {
            fill(i, count, batch);
        }
        batch.complete(count);
        row += count;
    }

    private void fill(int column, int count, Batch batch) {
        ColumnField field = columns.get(column);
        try {
            ColumnFill.fill(field, assembly.of(nodes.get(column), count), batch.column(column));
        } catch (Damage e) {
            throw ParquetFooter.corrupt(
                    footer.location(),
                    0,
                    e.reason,
                    "row group " + index + ", rows " + row + " to " + (row + count) + ", column "
                            + field.field().name() + ": " + e.getMessage());
        } catch (ColumnFill.BadValue e) {
            throw new BadInput(
                    footer.location() + ", row group " + index + ", row " + (row + e.row) + ", column "
                            + field.field().name() + ": " + e.getMessage(),
                    e);
        }
    }
}
