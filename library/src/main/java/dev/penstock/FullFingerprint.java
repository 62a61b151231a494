// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.util.stream.LongStream;

/// Digests a whole dataset: its fields, then the values of every record. A variable value is preceded by its
/// length in bytes. The files and their compression have no effect on the result.
final class FullFingerprint {
    /// Small enough for a chunk to stay in the CPU cache between the gather and the digest.
    private static final long CHUNK_BYTES = 1L << 20;

    private static final long CHUNK_RECORDS_MAX = 1L << 16;

    private final Dataset dataset;

    private FullFingerprint(Dataset dataset) {
        this.dataset = dataset;
    }

    static String of(Dataset dataset, Progress progress) throws IOException {
        return new FullFingerprint(dataset).text(progress);
    }

    private String text(Progress progress) throws IOException {
        Fingerprint fingerprint = new Fingerprint("full 1").add(dataset.count());
        for (Field field : dataset.fields()) {
            fingerprint.add(field.toString());
        }
        try (Batch batch = Batch.create(dataset.fields())) {
            long first = 0;
            while (first < dataset.count()) {
                long limit = chunkLimit(first);
                dataset.gather(LongStream.range(first, limit).toArray(), batch);
                add(batch, fingerprint);
                first = limit;
                progress.at(first, dataset.count());
            }
        }
        return fingerprint.text();
    }

    /// The end of the chunk that begins at record `first`: about [#CHUNK_BYTES], and at least one record.
    private long chunkLimit(long first) throws IOException {
        long limit = first;
        long byteCount = 0;
        while (limit < dataset.count() && limit - first < CHUNK_RECORDS_MAX && byteCount < CHUNK_BYTES) {
            for (Field field : dataset.fields()) {
                byteCount += (field.isVariable() ? dataset.length(field, limit) : 1) * field.itemSize();
            }
            limit++;
        }
        return limit;
    }

    private static void add(Batch batch, Fingerprint fingerprint) {
        if (batch.columns().size() == 1 && !batch.column(0).field().isVariable()) {
            fingerprint.add(batch.column(0).values());
            return;
        }
        for (long row = 0; row < batch.rowCount(); row++) {
            for (Column column : batch.columns()) {
                if (column.field().isVariable()) {
                    fingerprint.add(column.value(row).byteSize());
                }
                fingerprint.add(column.value(row));
            }
        }
    }
}
