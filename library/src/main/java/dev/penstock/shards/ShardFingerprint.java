// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.Fingerprint;
import dev.penstock.file.Crc32c;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;

/// The fingerprint of a corpus. It does not depend on how the rows are divided into shards.
///
/// With a manifest it is built from the type, the width, the number of rows and the checksum of all rows, which is
/// computed from the checksums of the shards in the manifest. Otherwise samples of the rows are used instead of
/// the checksum.
///
/// @param manifest the manifest of exactly these shards, or null
record ShardFingerprint(ShardFiles shards, ShardManifest manifest) {
    /// The fingerprint of the first rows, as it was when the corpus had no others.
    String of(long rowCount) throws IOException {
        return manifest == null ? ofSamples(rowCount) : ofChecksums(rowCount);
    }

    /// The fingerprint of the first rows of a corpus without a manifest.
    String ofSamples(long rowCount) throws IOException {
        return new Fingerprint("shards 1 " + shards.type())
                .add(shards.width(), rowCount)
                .addSample(Math.multiplyExact(rowCount, shards.rows().rowSize()), shards.rows()::readBytes)
                .text();
    }

    private String ofChecksums(long rowCount) throws IOException {
        RowsCrc crc = new RowsCrc(shards.type(), shards.width());
        for (int i = 0; crc.rowCount < rowCount; i++) {
            Published shard = manifest.shards().get(i);
            long wanted = Math.min(shard.rows(), rowCount - crc.rowCount);
            if (wanted == shard.rows()) {
                crc.add(shard);
            } else {
                // Rows are added in new shards, so only the end of an unusual corpus is read.
                crc.add(readCrc(i, wanted * shards.rows().rowSize()), wanted);
            }
        }
        return crc.text();
    }

    private int readCrc(int shardIndex, long byteCount) throws IOException {
        Crc32c crc = new Crc32c();
        shards.group().files().get(shardIndex).forEachPiece(ShardFormat.HEADER_SIZE, byteCount, crc::update);
        return crc.value();
    }

    /// The fingerprint of listed shards.
    static String of(ElementType type, long width, List<Published> listed) {
        RowsCrc crc = new RowsCrc(type, width);
        listed.forEach(crc::add);
        return crc.text();
    }

    /// The checksum of the rows of one shard after another.
    private static final class RowsCrc {
        private final ElementType type;
        private final long width;
        private int crc;
        private long rowCount;

        RowsCrc(ElementType type, long width) {
            this.type = type;
            this.width = width;
        }

        void add(Published shard) {
            ShardHeader header = ShardHeader.of(shard.rows(), width, type);
            int headerCrc = Crc32c.of(MemorySegment.ofArray(header.write()));
            int whole = HexFormat.fromHexDigits(shard.crc());
            // Remove the header from the checksum of the file.
            add(whole ^ Crc32c.combine(headerCrc, 0, header.rowBytes()), shard.rows());
        }

        void add(int rowsCrc, long addedCount) {
            crc = Crc32c.combine(crc, rowsCrc, addedCount * width * type.size());
            rowCount += addedCount;
        }

        String text() {
            return new Fingerprint("shards 2 " + type)
                    .add(width, rowCount, Integer.toUnsignedLong(crc))
                    .text();
        }
    }

    /// Whether the fingerprint covers every row.
    boolean isExact() {
        return manifest != null || rowBytes() <= Fingerprint.SAMPLED_WHOLE_MAX;
    }

    private long rowBytes() {
        return Math.multiplyExact(shards.rows().count(), shards.rows().rowSize());
    }
}
