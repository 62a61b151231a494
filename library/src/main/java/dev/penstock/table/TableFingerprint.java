// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Fingerprint;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.OpenFile;
import java.io.IOException;
import java.util.HexFormat;

/// The fingerprints of the first rows of a table. Which shards hold the rows makes no difference to them.
///
/// Where a manifest has a checksum of every shard, the fingerprint is made of the checksum of all rows, which is
/// computed from those of the shards: the header of a shard is taken out of its checksum, and what is left is
/// joined to that of the rows before. Otherwise it is made of samples of the rows.
final class TableFingerprint {
    private final TableRows rows;
    private final TableManifest manifest;

    TableFingerprint(TableRows rows, TableManifest manifest) {
        this.rows = rows;
        this.manifest = manifest;
    }

    /// Whether the manifest has a checksum of every shard, and the shards have the listed sizes and no other bytes
    /// behind their rows.
    boolean hasChecksums() {
        // The checksum of a shard in Fortran order says nothing about the order of its rows.
        if (manifest == null || rows.hasColumnOrder()) {
            return false;
        }
        for (int i = 0; i < rows.headers().size(); i++) {
            TableManifest.Shard listed = manifest.shards().get(i);
            TableHeader header = rows.headers().get(i);
            long size = header.dataOffset() + header.dataBytes();
            boolean isAsListed = listed.rows() == header.rowCount()
                    && listed.bytes() == size
                    && rows.group().files().get(i).size() == size;
            if (!isAsListed || listed.crc() == null) {
                return false;
            }
        }
        return true;
    }

    /// Whether every row is covered.
    boolean isExact() {
        return hasChecksums() || rows.count() * rows.rows().rowSize() <= Fingerprint.SAMPLED_WHOLE_MAX;
    }

    String of(long rowCount) throws IOException {
        return hasChecksums() ? ofChecksums(rowCount) : ofSamples(rowCount);
    }

    private String ofChecksums(long rowCount) throws IOException {
        int crc = 0;
        for (int i = 0; i < rows.headers().size() && rows.rows().start(i) < rowCount; i++) {
            long shardRows = rows.headers().get(i).rowCount();
            long here = Math.min(shardRows, rowCount - rows.rows().start(i));
            long byteCount = here * rows.rows().rowSize();
            // Rows are appended as new shards, so a count that was noted ends with a shard.
            int shardCrc = here == shardRows ? storedCrc(i) : readCrc(i, byteCount);
            crc = Crc32c.combine(crc, shardCrc, byteCount);
        }
        return new Fingerprint("table 2 " + rows.rowType() + " " + rowCount)
                .add(Integer.toUnsignedLong(crc))
                .text();
    }

    /// The checksum of the rows of a shard, from that of its file.
    private int storedCrc(int shardIndex) throws IOException {
        OpenFile file = rows.group().files().get(shardIndex);
        TableHeader header = rows.headers().get(shardIndex);
        Crc32c headerCrc = new Crc32c();
        file.forEachPiece(0, header.dataOffset(), headerCrc::update);
        int whole = HexFormat.fromHexDigits(manifest.shards().get(shardIndex).crc());
        return whole ^ Crc32c.combine(headerCrc.value(), 0, header.dataBytes());
    }

    private int readCrc(int shardIndex, long byteCount) throws IOException {
        Crc32c crc = new Crc32c();
        long start = rows.headers().get(shardIndex).dataOffset();
        rows.group().files().get(shardIndex).forEachPiece(start, byteCount, crc::update);
        return crc.value();
    }

    /// The fingerprint that a table without checksums has.
    String ofSamples(long rowCount) throws IOException {
        return new Fingerprint("table 1 " + rows.rowType() + " " + rowCount)
                .addSample(Math.multiplyExact(rowCount, rows.rows().rowSize()), rows.rows()::readBytes)
                .text();
    }
}
