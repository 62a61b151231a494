// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Column;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.table.TableReader;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// One rank of a resumed run. The demo starts it as a separate process.
final class DemoRank {
    static final long SEED = 2048;

    private DemoRank() {}

    /// Writes the index and checksum of each remaining sample of the epoch.
    ///
    /// @param args table, state, output, batch size, rank, number of ranks
    public static void main(String[] args) throws IOException {
        LoaderState state = LoaderState.parse(Files.readString(Path.of(args[1])));
        Ranks ranks = Ranks.of(Integer.parseInt(args[4]), Integer.parseInt(args[5]));
        try (TableReader table = TableReader.open(Path.of(args[0]));
                Loader loader = Loader.open(table, options(table, Long.parseLong(args[3]), ranks));
                OutputStream file = Files.newOutputStream(Path.of(args[2]));
                DataOutputStream samples = new DataOutputStream(new BufferedOutputStream(file, 1 << 16))) {
            loader.resume(state);
            for (LoaderBatch batch : loader) {
                long[] checksums = checksums(batch);
                for (int row = 0; row < checksums.length; row++) {
                    if (!batch.isPadded(row)) {
                        samples.writeLong(batch.index(row));
                        samples.writeLong(checksums[row]);
                    }
                }
            }
        }
    }

    static LoaderOptions options(TableReader table, long batchSize, Ranks ranks) {
        return LoaderOptions.of(batchSize)
                .withSampler(new PermutationSampler(table.count(), SEED))
                .withRanks(ranks);
    }

    /// The checksum of each row, over the bytes of all its fields, 8 bytes at a time where possible.
    static long[] checksums(LoaderBatch batch) {
        long[] sums = new long[(int) batch.rowCount()];
        Arrays.fill(sums, 1);
        for (Column column : batch.columns()) {
            long size = column.field().itemSize();
            MemorySegment values = column.values();
            for (int row = 0; row < sums.length; row++) {
                sums[row] = checksum(sums[row], values, row * size, size);
            }
        }
        return sums;
    }

    private static long checksum(long before, MemorySegment values, long start, long size) {
        long sum = before;
        long offset = start;
        long limit = offset + size;
        for (; offset + Long.BYTES <= limit; offset += Long.BYTES) {
            sum = mix(sum, values.get(U64, offset));
        }
        for (; offset < limit; offset++) {
            sum = mix(sum, values.get(ValueLayout.JAVA_BYTE, offset));
        }
        return sum;
    }

    private static long mix(long sum, long value) {
        long product = (sum ^ value) * 0x9E3779B97F4A7C15L;
        return product ^ product >>> 29;
    }
}
