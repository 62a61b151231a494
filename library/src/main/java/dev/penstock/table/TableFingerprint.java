// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Fingerprint;
import dev.penstock.file.Crc32c;
import dev.penstock.file.OpenFile;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.util.HexFormat;

/// Computes the fingerprints of the first rows of a table. They do not depend on how the rows are divided into
/// shards.
///
/// If the manifest has a checksum of every shard, the fingerprint is built from the checksum of all rows. That is
/// computed from the checksums of the shards: the header is removed from the checksum of each file, and the rest
/// is combined with that of the rows before. Otherwise the fingerprint is built from samples of the rows.
final class TableFingerprint {
    private final TableRows rows;
    private final TableManifest manifest;

    TableFingerprint(TableRows rows, TableManifest manifest) {
        this.rows = rows;
        this.manifest = manifest;
    }

    /// Whether the manifest has a checksum of every shard, and the shards have the listed sizes and no extra bytes
    /// after their rows.
    boolean hasChecksums() {
        // The checksum of a shard in Fortran order does not reflect the order of its rows.
        if (manifest == null || rows.hasColumnOrder()) {
            return false;
        }
        for (int i = 0; i < rows.headers().size(); i++) {
            Published listed = manifest.shards().get(i);
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

    /// Whether the fingerprint covers every row.
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
            // Appended rows are in new shards, so an earlier count usually ends with a shard.
            int shardCrc = here == shardRows ? storedCrc(i) : readCrc(i, byteCount);
            crc = Crc32c.combine(crc, shardCrc, byteCount);
        }
        return new Fingerprint("table 2 " + rows.rowType() + " " + rowCount)
                .add(Integer.toUnsignedLong(crc))
                .text();
    }

    /// The checksum of the rows of a shard, derived from the checksum of its file.
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

    /// The fingerprint of a table without checksums.
    String ofSamples(long rowCount) throws IOException {
        return new Fingerprint("table 1 " + rows.rowType() + " " + rowCount)
                .addSample(Math.multiplyExact(rowCount, rows.rows().rowSize()), rows.rows()::readBytes)
                .text();
    }
}
