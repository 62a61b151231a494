// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// RocksDB with ascending keys of 8 bytes, without compression. Its log is forced with every batch.
final class RocksKeeper implements RecordKeeper {
    private static final long CACHE_KEPT_BYTES = 64L << 20;

    private final Options options = new Options()
            .setCreateIfMissing(true)
            .setWriteBufferSize(CACHE_KEPT_BYTES)
            .setCompressionType(CompressionType.NO_COMPRESSION);
    private final WriteOptions forcing = new WriteOptions().setSync(true);
    private final ReadOptions reading = new ReadOptions();
    private final RocksDB db;
    private final int recordSize;
    private final ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES);
    private long count;

    RocksKeeper(Path folder, int recordSize) throws IOException, RocksDBException {
        Files.createDirectories(folder);
        this.db = RocksDB.open(options, folder.toString());
        this.recordSize = recordSize;
    }

    private ByteBuffer key(long index) {
        return key.clear().putLong(index).flip();
    }

    @Override
    public void append(MemorySegment batch, int batchCount) throws RocksDBException {
        long[] indices = new long[batchCount];
        for (int i = 0; i < batchCount; i++) {
            indices[i] = count++;
        }
        update(indices, batch);
    }

    @Override
    public void update(long[] indices, MemorySegment batch) throws RocksDBException {
        ByteBuffer all = batch.asByteBuffer();
        try (WriteBatch changes = new WriteBatch()) {
            for (int i = 0; i < indices.length; i++) {
                changes.put(key(indices[i]), all.slice(i * recordSize, recordSize));
            }
            db.write(forcing, changes);
        }
    }

    @Override
    public void gather(long[] indices, MemorySegment target) throws RocksDBException {
        ByteBuffer all = target.asByteBuffer();
        for (int i = 0; i < indices.length; i++) {
            int size = db.get(reading, key(indices[i]), all.slice(i * recordSize, recordSize));
            if (size != recordSize) {
                throw new IllegalStateException("record " + indices[i] + " has " + size + " bytes");
            }
        }
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void close() {
        db.close();
        options.close();
        forcing.close();
        reading.close();
    }
}
