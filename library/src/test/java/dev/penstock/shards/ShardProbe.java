// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;

/// Reads whatever is at a path in every way that a corpus is read.
final class ShardProbe {
    private static final long ROWS_MAX = 1000;

    private ShardProbe() {}

    /// Whether it was read; any other exception than a [DatasetException] is a failure of the test.
    static boolean read(Disk disk, Path path, ShardReader.Options options) throws IOException {
        try (ShardReader reader = ShardReader.open(path, options.withDisk(disk));
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64);
                Batch columns = Batch.create(reader.fields())) {
            long rowCount = Math.min(ROWS_MAX, reader.count());
            while (source.position() < rowCount && source.nextBatch(batch)) {
                batch.rowIds();
            }
            source.read(0, rowCount, batch);
            source.gather(new long[] {reader.count() - 1, 0}, batch);
            source.views(0, rowCount);
            reader.gather(new long[] {0, reader.count() - 1}, columns);
            reader.get(reader.count() - 1);
            reader.fingerprint();
            reader.verify(Progress.NONE);
            return true;
        } catch (DatasetException e) {
            return false;
        }
    }
}
