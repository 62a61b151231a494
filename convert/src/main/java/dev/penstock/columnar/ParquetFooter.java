// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;

/// The footer of a Parquet file: its columns and row groups.
///
/// @param size the size of the file
record ParquetFooter(Location location, long size, FileMetaData data, List<ParquetNode> columns) {
    static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final String ENCRYPTED = "PARE";
    private static final int TAIL_SIZE = 8;
    private static final int FOOTER_SIZE_MAX = 1 << 29;

    /// Reads the footer of an open file.
    ///
    /// @throws DatasetException when it is not valid
    static ParquetFooter read(Location location, Disk.Readable file) throws IOException {
        long size = file.size();
        if (size < MAGIC.length + TAIL_SIZE) {
            throw corrupt(location, 0, Reason.TRUNCATED, "a file of " + size + " bytes is too short for Parquet");
        }
        byte[] tail = bytes(file, size - TAIL_SIZE, TAIL_SIZE);
        String magic = new String(tail, Integer.BYTES, MAGIC.length, StandardCharsets.ISO_8859_1);
        if (magic.equals(ENCRYPTED)) {
            throw new DatasetException.WrongFormat(
                    location, "its footer is encrypted; decrypt the file with the program that wrote it");
        }
        int footerSize = (int) Dense.INT.get(tail, 0);
        boolean isWhole = magic.equals(new String(MAGIC, StandardCharsets.US_ASCII))
                && footerSize > 0
                && footerSize <= FOOTER_SIZE_MAX
                && footerSize <= size - TAIL_SIZE - MAGIC.length;
        if (!isWhole) {
            throw corrupt(
                    location,
                    size - TAIL_SIZE,
                    Reason.TRUNCATED,
                    "it does not end with the footer of a Parquet file: the file is cut off, or is still being"
                            + " written");
        }
        long start = size - TAIL_SIZE - footerSize;
        try {
            return of(location, size, bytes(file, start, footerSize));
        } catch (NullPointerException | IndexOutOfBoundsException | ArithmeticException e) {
            throw corrupt(
                    location, start, Reason.BAD_HEADER, "the footer is damaged: it has a number that is not valid");
        } catch (Damage e) {
            throw corrupt(location, start, e.reason, "the footer is damaged: " + e.getMessage());
        }
    }

    private static ParquetFooter of(Location location, long size, byte[] footer) {
        ThriftBytes bytes = new ThriftBytes();
        bytes.set(footer, 0, footer.length);
        FileMetaData data = new FileMetaData();
        try {
            data.read(new TCompactProtocol(bytes, footer.length, footer.length));
        } catch (TException | RuntimeException e) {
            throw new Damage(Reason.BAD_HEADER, String.valueOf(e.getMessage()));
        }
        if (data.isSetEncryption_algorithm()) {
            throw new DatasetException.WrongFormat(
                    location, "its columns are encrypted; decrypt the file with the program that wrote it");
        }
        List<ParquetNode> columns = ParquetSchema.columns(data.getSchema());
        ParquetFooter read = new ParquetFooter(location, size, data, columns);
        long rows = 0;
        for (int i = 0; i < read.groupCount(); i++) {
            RowGroup group = read.group(i);
            Damage.require(group.getNum_rows() >= 0, Reason.OUT_OF_RANGE, "a row group has a negative size");
            rows = Math.addExact(rows, group.getNum_rows());
            read.requireColumns(i, group);
        }
        Damage.require(
                rows == data.getNum_rows(),
                Reason.COUNT_MISMATCH,
                "its row groups have " + rows + " rows, and the file has " + data.getNum_rows());
        return read;
    }

    private void requireColumns(int index, RowGroup group) {
        List<ParquetLeaf> leaves = new ArrayList<>();
        columns.forEach(column -> column.addLeaves(leaves));
        List<ColumnChunk> chunks = group.getColumns();
        Damage.require(
                chunks != null && chunks.size() == leaves.size(),
                Reason.COUNT_MISMATCH,
                "row group " + index + " does not have all columns");
        for (ParquetLeaf leaf : leaves) {
            ColumnMetaData chunk = chunks.get(leaf.index()).getMeta_data();
            boolean isHere = chunk != null && !chunks.get(leaf.index()).isSetFile_path();
            Damage.require(
                    isHere && chunk.getType() == leaf.type() && leaf.path().equals(chunk.getPath_in_schema()),
                    Reason.KIND_MISMATCH,
                    "row group " + index + " has another column in place of " + leaf.name());
        }
    }

    static byte[] bytes(Disk.Readable file, long offset, int size) throws IOException {
        byte[] bytes = new byte[size];
        long count = file.read(offset, MemorySegment.ofArray(bytes));
        Damage.require(count == size, Reason.TRUNCATED, "the file became shorter while it was read");
        return bytes;
    }

    static DatasetException.Corrupt corrupt(Location location, long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(location, offset, reason, what);
    }

    int groupCount() {
        return data.getRow_groups() == null ? 0 : data.getRow_groups().size();
    }

    RowGroup group(int index) {
        return data.getRow_groups().get(index);
    }

    List<ColumnType> types() {
        return columns.stream().map(ParquetNode::type).toList();
    }

    /// A value of the file's metadata, or null.
    String metadata(String key) {
        if (data.getKey_value_metadata() != null) {
            for (KeyValue entry : data.getKey_value_metadata()) {
                if (key.equals(entry.getKey())) {
                    return entry.getValue();
                }
            }
        }
        return null;
    }
}
