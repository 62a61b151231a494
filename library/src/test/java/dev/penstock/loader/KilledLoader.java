// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Goes through one epoch of a table, noting what it got and saving its state every few batches, until it is
/// ended or done.
final class KilledLoader {
    private static final int SAVE_EVERY = 3;
    private static final int AHEAD = 20;

    private KilledLoader() {}

    /// Arguments: the table, the state file, the log, the batch size, the threads, and `ahead` for a state that is
    /// wrong in that it counts batches which were not handed out yet.
    public static void main(String[] arguments) throws IOException {
        Path stateFile = Path.of(arguments[1]);
        int batchSize = Integer.parseInt(arguments[3]);
        boolean isAhead = arguments[5].equals("ahead");
        try (TableReader table = TableReader.open(Path.of(arguments[0]));
                FileChannel log = FileChannel.open(
                        Path.of(arguments[2]), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Loader loader = Loader.open(
                        table,
                        LoaderOptions.of(batchSize)
                                .withRanks(Ranks.ALONE)
                                .withThreads(Integer.parseInt(arguments[4]))
                                .withSampler(new PermutationSampler(table.count(), 11)))) {
            if (Files.exists(stateFile)) {
                loader.resume(LoaderState.parse(Files.readString(stateFile)));
            }
            int step = 0;
            for (LoaderBatch batch : loader) {
                note(log, batch);
                if (++step % SAVE_EVERY == 0) {
                    save(stateFile, loader.state(), isAhead ? AHEAD * batchSize : 0);
                }
            }
            save(stateFile, loader.state(), 0);
        }
    }

    /// The position, and the number that stands in the row itself.
    private static void note(FileChannel log, LoaderBatch batch) throws IOException {
        ByteBuffer line = ByteBuffer.allocate((int) batch.rowCount() * 16).order(ByteOrder.LITTLE_ENDIAN);
        for (long row = 0; row < batch.rowCount(); row++) {
            line.putLong(batch.position() + row);
            line.putLong(batch.column("id").value(row).get(U64, 0));
        }
        log.write(line.flip());
    }

    private static void save(Path file, LoaderState state, long added) throws IOException {
        LoaderState saved = new LoaderState(
                state.fingerprint(),
                state.recordCount(),
                state.sampler(),
                state.parameters(),
                state.epoch(),
                state.delivered() + added);
        try (NewFile target = NewFile.create(Disk.real(), file, true)) {
            target.write(MemorySegment.ofArray(saved.toJson().getBytes(StandardCharsets.UTF_8)), 0);
            target.publishUnforced();
        }
    }
}
