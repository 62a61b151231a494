// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.OpenFiles;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.rows.RowFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The open files of a table with their headers.
record TableRows(RowFiles rows, List<TableHeader> headers) implements AutoCloseable {
    /// Opens all shards and reads their headers.
    ///
    /// @throws DatasetException when a shard is damaged, or has another type than the first
    static TableRows open(TablePaths paths, ReaderOptions options) throws IOException {
        return open(paths, options, TableHeader::read);
    }

    /// Determines the header of a file.
    @FunctionalInterface
    interface HeaderReader {
        TableHeader read(OpenFile file) throws IOException;
    }

    static TableRows open(TablePaths paths, ReaderOptions options, HeaderReader reader) throws IOException {
        OpenFiles files = paths.member() == null
                ? OpenFiles.openAt(paths.files(), options)
                : OpenFiles.open(paths.member().part(), options);
        List<TableHeader> headers = new ArrayList<>();
        RowFiles rows = RowFiles.open(files, options, file -> {
            TableHeader header = reader.read(file);
            requireSameType(file, header, headers);
            headers.add(header);
            return header.layout();
        });
        return new TableRows(rows, List.copyOf(headers));
    }

    private static void requireSameType(OpenFile file, TableHeader header, List<TableHeader> before) {
        if (!before.isEmpty() && !header.rowType().equals(before.getFirst().rowType())) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    TableFormat.LENGTH_OFFSET,
                    Reason.SHARD_MISMATCH,
                    "its rows are " + Literal.shown(header.rowType().toString()) + ", but those of the first shard are "
                            + Literal.shown(before.getFirst().rowType().toString()));
        }
    }

    OpenFiles group() {
        return rows.files();
    }

    RowType rowType() {
        return headers.getFirst().rowType();
    }

    /// Whether a shard is in Fortran order, so that its rows are scattered over its file.
    boolean hasColumnOrder() {
        return headers.stream().anyMatch(TableHeader::isColumnOrder);
    }

    /// The number of rows in all shards.
    long count() {
        return rows.count();
    }

    @Override
    public void close() {
        rows.close();
    }
}
