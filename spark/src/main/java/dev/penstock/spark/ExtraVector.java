// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.Shard;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/// A metadata column of a batch.
final class ExtraVector extends UnsupportedVector {
    private final Extra extra;
    private final Dataset dataset;
    private final List<Shard> shards;
    private long[] indices;
    /// The shard of the last record that was asked for, as text.
    private int shard = -1;

    private UTF8String file;

    ExtraVector(Extra extra, Dataset dataset) {
        super(extra.type());
        this.extra = extra;
        this.dataset = dataset;
        this.shards = extra == Extra.FILE ? dataset.shards() : List.of();
    }

    /// Shows the records with these indices.
    void show(long[] indices) {
        this.indices = indices;
    }

    @Override
    public boolean hasNull() {
        return extra == Extra.NAME;
    }

    @Override
    public int numNulls() {
        int count = 0;
        for (int row = 0; row < indices.length; row++) {
            count += isNullAt(row) ? 1 : 0;
        }
        return count;
    }

    @Override
    public boolean isNullAt(int row) {
        return extra == Extra.NAME && dataset.name(indices[row]) == null;
    }

    @Override
    public long getLong(int row) {
        return indices[row];
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return extra == Extra.NAME ? UTF8String.fromString(dataset.name(indices[row])) : file(indices[row]);
    }

    private UTF8String file(long index) {
        if (shard < 0 || !has(shard, index)) {
            shard = find(index);
            file = UTF8String.fromString(shards.get(shard).location().toString());
        }
        return file;
    }

    private boolean has(int number, long index) {
        long inShard = index - shards.get(number).firstIndex();
        return inShard >= 0 && inShard < shards.get(number).recordCount();
    }

    /// The last shard that begins at or before the record. Shards without records are before it.
    private int find(long index) {
        int low = 0;
        int high = shards.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (shards.get(middle).firstIndex() <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
