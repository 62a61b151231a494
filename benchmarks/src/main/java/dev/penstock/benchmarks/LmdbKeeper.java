// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/// LMDB with integer keys. Appends use its append mode, reads copy from its mapping.
final class LmdbKeeper implements RecordKeeper {
    private static final long MAP_SIZE = 64L << 30;

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> records;
    private final int recordSize;
    private final ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    private long count;

    LmdbKeeper(Path folder, int recordSize) throws IOException {
        Files.createDirectories(folder);
        this.env = Env.create().setMapSize(MAP_SIZE).setMaxDbs(1).open(folder.toFile());
        this.records = env.openDbi("records", DbiFlags.MDB_CREATE, DbiFlags.MDB_INTEGERKEY);
        this.recordSize = recordSize;
    }

    private ByteBuffer key(long index) {
        return key.clear().putLong(index).flip();
    }

    @Override
    public void append(MemorySegment batch, int batchCount) {
        try (Txn<ByteBuffer> txn = env.txnWrite()) {
            ByteBuffer all = batch.asByteBuffer();
            for (int i = 0; i < batchCount; i++) {
                records.put(txn, key(count++), all.slice(i * recordSize, recordSize), PutFlags.MDB_APPEND);
            }
            txn.commit();
        }
    }

    @Override
    public void update(long[] indices, MemorySegment batch) {
        try (Txn<ByteBuffer> txn = env.txnWrite()) {
            ByteBuffer all = batch.asByteBuffer();
            for (int i = 0; i < indices.length; i++) {
                records.put(txn, key(indices[i]), all.slice(i * recordSize, recordSize));
            }
            txn.commit();
        }
    }

    @Override
    public void gather(long[] indices, MemorySegment target) {
        ByteBuffer all = target.asByteBuffer();
        try (Txn<ByteBuffer> txn = env.txnRead()) {
            for (int i = 0; i < indices.length; i++) {
                all.put(i * recordSize, records.get(txn, key(indices[i])), 0, recordSize);
            }
        }
    }

    @Override
    public long count() {
        try (Txn<ByteBuffer> txn = env.txnRead()) {
            return records.stat(txn).entries;
        }
    }

    @Override
    public void close() {
        env.close();
    }
}
