// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Parallel;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/// Packs the files of a folder.
///
/// Each file is read once. Worker threads read, compress and checksum files ahead while this thread writes them in
/// order, so the memory for their content depends on the number of workers and not on the number of files. The
/// sorted list of paths is kept in memory: about 250 bytes of heap for each file.
public final class PackBuilder {
    /// Larger files are stored uncompressed, piece by piece, and are never held in memory as a whole.
    public static final long BUFFERED_SIZE_MAX = 16L << 20;

    /// Far above any number of cores.
    private static final int WORKERS_MAX = 1024;

    /// The number of files for each worker that are being read or wait to be written.
    private static final int SLOTS_PER_WORKER = 4;

    private final PackFolder folder;
    private final PackWriter.Options options;
    private final int workers;
    /// Examine the files of their families. The files of other families are told apart by their first bytes.
    private final Map<RecordFamily, PackIntake> intakes = new LinkedHashMap<>();

    /// The result of a build.
    ///
    /// @param inputBytes the total size of the packed files
    public record Result(long recordCount, long inputBytes) {}

    private PackBuilder(PackFolder folder, PackWriter.Options options, int workers, List<PackIntake> intakes) {
        this.folder = folder;
        this.options = options;
        this.workers = workers;
        intakes.forEach(intake -> this.intakes.put(intake.family(), intake));
    }

    /// Packs a folder into a file.
    ///
    /// @param isEveryFile whether to pack all files instead of those of [record families][RecordFamily]
    /// @param options     if automatic, records of families are aligned as in the original program
    /// @param workers     the number of threads that read and compress
    /// @throws IllegalArgumentException when there is nothing to pack
    /// @throws IOException              also when a file changes while it is packed; the message names it
    public static Result build(
            Path input, Path target, boolean isEveryFile, PackWriter.Options options, int workers, Progress progress)
            throws IOException {
        return build(input, target, isEveryFile, options, workers, List.of(), progress);
    }

    /// Packs a folder and examines the files of some families.
    ///
    /// @param intakes recognise the files of their families, reject invalid ones and create the statistics block
    /// @throws dev.penstock.DatasetException when a file is invalid; the message names it
    public static Result build(
            Path input,
            Path target,
            boolean isEveryFile,
            PackWriter.Options options,
            int workers,
            List<PackIntake> intakes,
            Progress progress)
            throws IOException {
        if (workers < 1 || workers > WORKERS_MAX) {
            throw new IllegalArgumentException("workers must be between 1 and " + WORKERS_MAX + ", got " + workers);
        }
        PackFolder folder = PackFolder.list(input, isEveryFile, target);
        boolean isOpen = options.alignment() == PackWriter.Options.AUTOMATIC_ALIGNMENT;
        PackWriter.Options chosen =
                isOpen && !isEveryFile ? options.withAlignment(PackFormat.ALIGNMENT_DEFAULT) : options;
        return new PackBuilder(folder, chosen, workers, intakes).write(target, progress);
    }

    private Result write(Path target, Progress progress) throws IOException {
        PackWriter writer = PackWriter.create(target, options);
        try {
            if (intakes.values().stream().noneMatch(PackIntake::isSkipping)) {
                writer.expect(folder.files().size(), folder.nameBytes());
            }
            long[] totals = appendAll(writer, progress);
            PackIntake only = folder.hasNames() ? null : onlyIntake();
            if (only != null) {
                requireSome(totals[0], only.family());
                writer.setStatsBlock(only.statsBlock());
            }
            writer.close();
            return new Result(totals[0], totals[1]);
        } catch (Throwable e) {
            abort(writer, e);
            throw e;
        }
    }

    /// The examination of all files, or null when files belong to families without one, or to several.
    private PackIntake onlyIntake() {
        Set<RecordFamily> families = folder.files().stream().map(folder::family).collect(Collectors.toSet());
        return families.size() == 1 ? intakes.get(families.iterator().next()) : null;
    }

    private void requireSome(long recordCount, RecordFamily family) {
        if (recordCount == 0) {
            throw new IllegalArgumentException("none of the " + folder.files().size() + " " + family.noun()
                    + "s can be read, so there is nothing to pack");
        }
    }

    private static void abort(PackWriter writer, Throwable reason) {
        try {
            writer.abort();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    /// @return the number of records and the number of their bytes
    private long[] appendAll(PackWriter writer, Progress progress) throws IOException {
        Deque<PackSlot> idle = new ArrayDeque<>();
        Deque<Future<PackSlot>> ahead = new ArrayDeque<>();
        for (int i = 0; i < workers * SLOTS_PER_WORKER; i++) {
            idle.push(new PackSlot(options, intakes));
        }
        List<Path> files = folder.files();
        long[] totals = new long[2];
        int started = 0;
        try (ExecutorService pool = Parallel.pool(workers)) {
            for (int i = 0; i < files.size(); i++) {
                while (started < files.size() && !idle.isEmpty()) {
                    ahead.add(start(pool, idle.pop(), files.get(started++)));
                }
                PackSlot slot = Parallel.await(ahead.peek());
                ahead.remove();
                idle.push(slot);
                if (slot.kind() != null) {
                    totals[0]++;
                    totals[1] += append(writer, files.get(i), slot);
                }
                progress.at(i + 1L, files.size());
            }
            return totals;
        } finally {
            ahead.forEach(Parallel::discard);
            idle.forEach(PackSlot::close);
        }
    }

    private Future<PackSlot> start(ExecutorService pool, PackSlot slot, Path file) {
        return pool.submit(() -> {
            try {
                slot.load(file, folder.family(file));
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
