// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Parallel;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/// Packs the files of a folder.
///
/// Each file is read once. Workers read, compress and check-sum ahead while this thread writes in order, so what
/// is held of their content depends on the number of workers and not of files. The sorted list of the paths is
/// held as a whole: some 250 bytes of heap a file.
public final class PackBuilder {
    /// Files above this are stored as they are, piece by piece, and never held in memory as a whole.
    public static final long BUFFERED_SIZE_MAX = 16L << 20;

    /// Far above any number of cores.
    private static final int WORKERS_MAX = 1024;

    /// Files being read or waiting to be written, for each worker.
    private static final int SLOTS_PER_WORKER = 4;

    private final PackFolder folder;
    private final PackWriter.Options options;
    private final int workers;

    /// What was built.
    ///
    /// @param inputBytes bytes of the files
    public record Result(long recordCount, long inputBytes) {}

    private PackBuilder(PackFolder folder, PackWriter.Options options, int workers) {
        this.folder = folder;
        this.options = options;
        this.workers = workers;
    }

    /// Packs a folder into a file.
    ///
    /// @param isEveryFile whether all files are packed, rather than those named `*.a2run2`
    /// @param options     where these leave the alignment open, runs are aligned as the original aligns them
    /// @param workers     threads that read and compress
    /// @throws IllegalArgumentException when there is nothing to pack
    /// @throws IOException              also when a file changes while it is packed; the message names it
    public static Result build(
            Path input, Path target, boolean isEveryFile, PackWriter.Options options, int workers, Progress progress)
            throws IOException {
        if (workers < 1 || workers > WORKERS_MAX) {
            throw new IllegalArgumentException("workers must be 1 to " + WORKERS_MAX + ", not " + workers);
        }
        PackFolder folder = PackFolder.list(input, isEveryFile, target);
        boolean isOpen = options.alignment() == PackWriter.Options.AUTOMATIC_ALIGNMENT;
        PackWriter.Options chosen =
                isOpen && !isEveryFile ? options.withAlignment(PackFormat.ALIGNMENT_DEFAULT) : options;
        return new PackBuilder(folder, chosen, workers).write(target, progress);
    }

    private Result write(Path target, Progress progress) throws IOException {
        PackWriter writer = PackWriter.create(target, options);
        try {
            writer.expect(folder.files().size(), folder.nameBytes());
            long inputBytes = appendAll(writer, progress);
            writer.close();
            return new Result(folder.files().size(), inputBytes);
        } catch (Throwable e) {
            abort(writer, e);
            throw e;
        }
    }

    private static void abort(PackWriter writer, Throwable reason) {
        try {
            writer.abort();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private long appendAll(PackWriter writer, Progress progress) throws IOException {
        Deque<PackSlot> idle = new ArrayDeque<>();
        Deque<Future<PackSlot>> ahead = new ArrayDeque<>();
        for (int i = 0; i < workers * SLOTS_PER_WORKER; i++) {
            idle.push(new PackSlot(options));
        }
        List<Path> files = folder.files();
        long inputBytes = 0;
        int started = 0;
        try (ExecutorService pool = Parallel.pool(workers)) {
            for (int i = 0; i < files.size(); i++) {
                while (started < files.size() && !idle.isEmpty()) {
                    ahead.add(start(pool, idle.pop(), files.get(started++)));
                }
                PackSlot slot = Parallel.await(ahead.peek());
                ahead.remove();
                idle.push(slot);
                inputBytes += append(writer, files.get(i), slot);
                progress.at(i + 1L, files.size());
            }
            return inputBytes;
        } finally {
            ahead.forEach(Parallel::discard);
            idle.forEach(PackSlot::close);
        }
    }

    private Future<PackSlot> start(ExecutorService pool, PackSlot slot, Path file) {
        return pool.submit(() -> {
            try {
                slot.load(file, folder.isRun(file));
                return slot;
            } catch (Throwable e) {
                slot.close();
                throw e;
            }
        });
    }

    private long append(PackWriter writer, Path file, PackSlot slot) throws IOException {
        String name = folder.hasNames() ? folder.name(file) : null;
        if (slot.record() != null) {
            writer.append(name, slot.kind(), slot.record());
            return slot.state().size();
        }
        Disk disk = options.disk();
        try (Disk.Readable source = disk.open(file)) {
            writer.append(name, slot.kind(), source, slot.state().size());
        } catch (EOFException e) {
            throw FileState.changed(file);
        }
        slot.state().requireUnchanged(file);
        return slot.state().size();
    }
}
