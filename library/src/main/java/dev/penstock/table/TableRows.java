// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Io;
import dev.penstock.Reason;
import dev.penstock.file.OpenFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.ReaderOptions;
import dev.penstock.rows.NewRowFile.Published;
import dev.penstock.rows.RowFiles;
import dev.penstock.rows.RowLayout;
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

    static TableRows open(TablePaths paths, ReaderOptions options, Io.Function<OpenFile, TableHeader> reader)
            throws IOException {
        return open(paths, options, reader, false);
    }

    /// Opens all shards and reads their headers.
    ///
    /// @param hasFirstCheck whether a shard is compared with its checksum before its first row is read
    /// @throws DatasetException         when a shard is damaged, or has another type than the first
    /// @throws IllegalArgumentException when shards without a checksum are to be checked
    static TableRows open(TablePaths paths, ReaderOptions options, boolean hasFirstCheck) throws IOException {
        if (hasFirstCheck && !ShardCheck.hasChecksum(paths)) {
            throw new IllegalArgumentException(
                    paths.files().getFirst() + " has no checksum that its rows could be compared with: only tables"
                            + " with a manifest.json and arrays in an archive have one; open it without the first"
                            + " check");
        }
        return open(paths, options, TableHeader::read, hasFirstCheck);
    }

    private static TableRows open(
            TablePaths paths, ReaderOptions options, Io.Function<OpenFile, TableHeader> reader, boolean hasFirstCheck)
            throws IOException {
        boolean isListed = isListed(paths, options);
        OpenFiles files = isListed
                ? OpenFiles.openListed(paths.files(), options)
                : paths.member() == null
                        ? OpenFiles.open(paths.files(), options)
                        : OpenFiles.open(paths.member().part(), options);
        List<TableHeader> headers = new ArrayList<>();
        ShardCheck check = new ShardCheck(paths, files, headers, null);
        Io.Function<OpenFile, RowLayout> headerReader = file -> {
            TableHeader listed = isListed ? listed(paths, file, headers) : null;
            TableHeader header = listed == null ? reader.apply(file) : listed;
            requireSameType(file, header, headers);
            headers.add(header);
            return header.layout();
        };
        RowFiles rows = RowFiles.open(files, options, headerReader, hasFirstCheck ? check::errors : null);
        return new TableRows(rows, List.copyOf(headers));
    }

    /// Whether the manifest and the list of a remote folder say so much about the shards that not every header
    /// has to be read.
    private static boolean isListed(TablePaths paths, ReaderOptions options) {
        return paths.manifest() != null
                && paths.files().stream()
                        .allMatch(file -> !options.isOnDisk(file)
                                && options.storageOf(file).isListed(file));
    }

    /// The header of a shard whose size is that of the manifest: that of the first shard, with another number
    /// of rows. Null when it has to be read.
    private static TableHeader listed(TablePaths paths, OpenFile file, List<TableHeader> before) {
        if (before.isEmpty()) {
            return null;
        }
        Published shard = paths.manifest().shards().get(before.size());
        return file.size() == shard.bytes() ? before.getFirst().withRows(shard.rows(), shard.bytes()) : null;
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
