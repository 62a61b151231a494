// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Buffer;
import dev.penstock.catalog.DatasetPart;
import dev.penstock.file.Codec;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.store.StoreCompression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.catalyst.InternalRow;

/// Writes packs: one column is the bytes of the records, another may have their names.
final class PackTask extends TaskWriter {
    private final FieldEncoder encoder;
    private final int nameOrdinal;
    private final Buffer record = new Buffer();
    private Path path;
    private PackWriter pack;
    private long rowCount;
    private long bytes;

    PackTask(WritePlan plan, int task, long attempt) {
        super(plan, task, attempt);
        this.encoder = plan.encoders().getFirst();
        this.nameOrdinal = plan.nameOrdinal();
    }

    /// @throws IllegalArgumentException when packs do not have it
    static PackWriter.Options options(StoreCompression compression) {
        Codec codec = switch (compression) {
            case RAW -> Codec.NONE;
            case ZSTD -> Codec.ZSTD;
            case LZ4 -> Codec.LZ4;
            case FLATE -> throw new IllegalArgumentException("packs are compressed by zstd or lz4, not by flate");
        };
        return PackWriter.Options.DEFAULT.withCodec(codec, 0).withDisk(disk());
    }

    @Override
    void append(InternalRow row) throws IOException {
        requirePresent(encoder, row);
        if (pack == null) {
            path = newPath();
            pack = PackWriter.create(path, options(plan().options().compression()));
            rowCount = 0;
            bytes = 0;
        }
        long size = encoder.append(row, record, 0);
        pack.append(name(row), PackKind.OPAQUE, record.reserve(size).asSlice(0, size));
        rowCount++;
        bytes += size;
        if (bytes >= plan().options().shardBytes()) {
            finish();
        }
    }

    private String name(InternalRow row) {
        if (nameOrdinal < 0) {
            return null;
        }
        if (row.isNullAt(nameOrdinal)) {
            throw new IllegalArgumentException(
                    "column " + plan().options().name() + " has a null, but each record needs a name");
        }
        return row.get(nameOrdinal, plan().schema().apply(nameOrdinal).dataType())
                .toString();
    }

    @Override
    void finish() throws IOException {
        if (pack != null) {
            pack.close();
            pack = null;
            add(new DatasetPart(path.getFileName().toString(), rowCount, Files.size(path)));
        }
    }

    @Override
    void discard() throws IOException {
        record.close();
        if (pack != null) {
            pack.abort();
            pack = null;
        }
    }
}
