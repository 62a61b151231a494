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
    String text() throws IOException {
        return manifest == null ? ofSamples() : of(shards.type(), shards.width(), manifest.shards());
    }

    /// The fingerprint of a corpus without a manifest.
    String ofSamples() throws IOException {
        return new Fingerprint("shards 1 " + shards.type())
                .add(shards.width(), shards.rows().count())
                .addSample(rowBytes(), shards.rows()::readBytes)
                .text();
    }

    /// The fingerprint of listed shards.
    static String of(ElementType type, long width, List<Published> listed) {
        int crc = 0;
        long rowCount = 0;
        for (Published shard : listed) {
            ShardHeader header = ShardHeader.of(shard.rows(), width, type);
            int headerCrc = Crc32c.of(MemorySegment.ofArray(header.write()));
            int whole = HexFormat.fromHexDigits(shard.crc());
            // Remove the header from the checksum of the file.
            int rowsCrc = whole ^ Crc32c.combine(headerCrc, 0, header.rowBytes());
            crc = Crc32c.combine(crc, rowsCrc, header.rowBytes());
            rowCount += shard.rows();
        }
        return new Fingerprint("shards 2 " + type)
                .add(width, rowCount, Integer.toUnsignedLong(crc))
                .text();
    }

    /// Whether the fingerprint covers every row.
    boolean isExact() {
        return manifest != null || rowBytes() <= Fingerprint.SAMPLED_WHOLE_MAX;
    }

    private long rowBytes() {
        return Math.multiplyExact(shards.rows().count(), shards.rows().rowSize());
    }
}
