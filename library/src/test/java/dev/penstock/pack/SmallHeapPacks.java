// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Codec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/// A program that reads a large pack and builds one of many files. [PackHeapTest] runs it with little memory.
///
/// Arguments: the pack, a folder of files, and where to build.
final class SmallHeapPacks {
    private static final int GATHERS = 20;
    private static final int ROWS = 256;
    private static final int SCANNED = 10_000;
    private static final long MEMORY_BYTES = 64L << 20;

    private SmallHeapPacks() {}

    public static void main(String[] arguments) throws IOException {
        Path pack = Path.of(arguments[0]);
        Random random = new Random(1);
        // Without a budget all of the pack would be brought into memory, which is not what is looked at here.
        PackReader.Options reading = PackReader.Options.DEFAULT.withMemoryBytes(MEMORY_BYTES);
        try (PackReader reader = PackReader.open(pack, reading);
                Batch batch = Batch.create(reader.fields())) {
            for (int i = 0; i < GATHERS; i++) {
                reader.gather(random.longs(ROWS, 0, reader.count()).toArray(), batch);
                require(batch.rowCount() == ROWS);
            }
            require(reader.verifySample(1000).isOk());
            require(reader.stats().recordCount() == reader.count());
            scan(reader);
        }
        Path folder = Path.of(arguments[1]);
        PackWriter.Options options = PackWriter.Options.DEFAULT.withAlignment(8).withCodec(Codec.ZSTD, 0);
        PackBuilder.Result result = PackBuilder.build(folder, Path.of(arguments[2]), true, options, 2, Progress.NONE);
        System.out.println(result.recordCount() + " files packed");
    }

    private static void scan(PackReader reader) throws IOException {
        try (PackScan scan = reader.scan()) {
            for (int i = 0; i < SCANNED; i++) {
                require(scan.next() && scan.value().byteSize() > 0);
            }
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("something came back wrong");
        }
    }
}
