// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import dev.penstock.file.Disk;
import dev.penstock.file.FileInUseException;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Named snapshots of a store: states that stay readable whatever happens to the store.
///
/// A snapshot is a folder `snapshot/NAME` and itself a read-only store. It has its own tables and hard links to
/// the chunks, so the chunks it needs are kept when the store deletes them. Creating one needs no writer and does
/// not disturb a running writer.
///
/// **Threads.** Safe for any number of threads and processes.
///
/// Named snapshots link the chunks and write tables of their own. Hard links keep the chunks
/// that a snapshot needs, and creating one needs neither the writer nor its lock.
public final class StoreSnapshots {
    private static final int DELETE_ATTEMPTS = 100;
    private static final long WAIT_NANOS = 60_000_000_000L;
    private static final long LOOK_MILLIS = 5;

    private final Path store;
    private final Disk disk;

    private StoreSnapshots(Path store, Disk disk) {
        this.store = store;
        this.disk = disk;
    }

    /// Gives access to the snapshots of a store.
    ///
    /// @throws NoSuchFileException      when the store does not exist
    /// @throws IllegalArgumentException when it is a snapshot itself, or another program wrote it
    public static StoreSnapshots of(Path store) throws IOException {
        return of(store, Disk.real());
    }

    /// Gives access to the snapshots of a store on a disk.
    public static StoreSnapshots of(Path store, Disk disk) throws IOException {
        StoreMetaFile found = StoreMetaFile.find(disk, store);
        if (found == null) {
            throw StoreMetaFile.absent(disk, store);
        }
        found.meta().requireWritable(store);
        return new StoreSnapshots(store, disk);
    }

    /// A snapshot.
    ///
    /// @param recordCount the number of records, including tombstones
    /// @param sequence    the sequence of the commit
    /// @param keptBytes   the size of chunks that the store itself does not need any more
    public record Snapshot(String name, Path path, long recordCount, long sequence, long keptBytes) {}

    /// The path of a snapshot, which can be opened like any dataset.
    ///
    /// @throws IllegalArgumentException when the name is not valid
    /// @throws NoSuchFileException      when the snapshot does not exist
    public Path path(String name) throws IOException {
        Path folder = folder(name);
        // A reader writes a lease into the folder.
        disk.requireOwn(StoreFormat.snapshots(store));
        disk.requireOwn(folder);
        if (!disk.exists(folder.resolve(StoreFormat.META))) {
            List<String> names = list().stream().map(Snapshot::name).toList();
            throw new NoSuchFileException(
                    folder.toString(),
                    null,
                    "the store has no snapshot " + name
                            + (names.isEmpty() ? " or any other" : "; its snapshots are " + String.join(", ", names)));
        }
        return folder;
    }

    /// The location of a snapshot of a store on a disk or in a remote storage.
    ///
    /// @throws IllegalArgumentException when the name is not valid
    /// @throws NoSuchFileException      when the snapshot does not exist
    public static Location location(Location store, String name, ReaderOptions options) throws IOException {
        if (options.isOnDisk(store)) {
            return Location.of(of(store.path(), options.disk()).path(name));
        }
        requireName(name);
        Location snapshot = store.resolve(StoreFormat.SNAPSHOT_FOLDER + "/" + name);
        if (!options.storageOf(store).exists(snapshot.resolve(StoreFormat.META))) {
            throw new NoSuchFileException(snapshot.toString(), null, "the store has no snapshot " + name);
        }
        return snapshot;
    }

    private Path folder(String name) {
        requireName(name);
        return StoreFormat.snapshots(store).resolve(name);
    }

    private static void requireName(String name) {
        if (!StoreFormat.FIELD_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid name of a snapshot: '" + name
                    + "'; use letters, digits, '_', '-' and '.', at most 64, and begin with a letter, digit or '_'");
        }
    }

    /// Creates a snapshot of the last commit. It is durable when this returns.
    ///
    /// @throws FileAlreadyExistsException when a snapshot of this name exists
    public Snapshot create(String name) throws IOException {
        Path folder = folder(name);
        disk.createDirectory(StoreFormat.snapshots(store));
        disk.forceDirectory(store);
        List<Snapshot> created = new ArrayList<>();
        alone(() -> {
            if (disk.exists(folder.resolve(StoreFormat.META))) {
                throw new FileAlreadyExistsException(
                        folder.toString(), null, "the store already has a snapshot of this name; drop it first");
            }
            requireOurs(folder);
            remove(folder);
            try (StoreReader reader = StoreReader.open(store, disk)) {
                reader.using(view -> {
                    view.state().requireLease();
                    write(name, folder, view.state());
                    return null;
                });
            } catch (IOException | RuntimeException e) {
                discard(folder, e);
                throw e;
            }
            created.add(describe(folder, StoreMetaFile.find(disk, folder).meta()));
        });
        return created.getFirst();
    }

    /// Removes a snapshot that could not be completed. Its links would keep the space of chunks that are deleted
    /// later, which matters most when the disk is full.
    private void discard(Path folder, Exception failure) {
        try {
            if (!disk.exists(folder.resolve(StoreFormat.META))) {
                remove(folder);
            }
        } catch (IOException e) {
            // The next snapshot of this name removes it.
            failure.addSuppressed(e);
        }
    }

    /// Makes sure that one thread at a time, among all processes, creates or drops snapshots. The others wait, but
    /// not for ever, because the one may be stopped.
    private void alone(Io.Action step) throws IOException {
        WriterLock lock = lock();
        try {
            step.run();
        } finally {
            lock.close();
        }
    }

    private WriterLock lock() throws IOException {
        Path folder = StoreFormat.snapshots(store);
        disk.requireOwn(folder);
        long deadline = System.nanoTime() + WAIT_NANOS;
        while (true) {
            try {
                return WriterLock.take(disk, folder.resolve(StoreFormat.LOCK), folder);
            } catch (FileInUseException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                pause();
            }
        }
    }

    /// Waits before the lock is tried again.
    ///
    /// @throws InterruptedIOException when the thread is interrupted, which it stays
    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while another thread or process changes the snapshots");
        }
    }

    /// Writes `meta.json` last: a folder without it is not a snapshot.
    private void write(String name, Path folder, StoreState state) throws IOException {
        Path chunks = folder.resolve(StoreFormat.CHUNK_FOLDER);
        disk.createDirectory(folder);
        disk.forceDirectory(StoreFormat.snapshots(store));
        disk.createDirectory(chunks);
        linkChunks(folder, state.meta());
        disk.forceDirectory(chunks);
        Path storeMeta = store.resolve(StoreFormat.META);
        StoreMeta meta = state.meta().asSnapshot(name, state.sequence(), state.cells());
        TableCheckpointWriter tables = new TableCheckpointWriter(disk, folder, meta, state.cells());
        for (int field = 0; field < meta.fields().size(); field++) {
            tables.create(field, storeMeta);
        }
        disk.forceDirectory(folder);
        try (NewFile file = NewFile.createLike(disk, folder.resolve(StoreFormat.META), storeMeta, false)) {
            file.write(MemorySegment.ofArray(meta.write()), 0);
            file.publish();
        }
    }

    /// Creates hard links to all chunks that the state may need. Commits that are not durable yet are part of the
    /// state, so every chunk is forced.
    private void linkChunks(Path folder, StoreMeta meta) throws IOException {
        Set<Long> retired = new HashSet<>();
        meta.chunks().retired().forEach(one -> retired.add(one.chunk()));
        for (long id : StoreFormat.chunkIds(disk, store)) {
            if (!retired.contains(id)) {
                link(StoreFormat.chunk(store, id), StoreFormat.chunk(folder, id));
            }
        }
    }

    private void link(Path chunk, Path name) throws IOException {
        try (Disk.Writable file = disk.openForWriting(chunk)) {
            file.force();
            disk.link(chunk, name);
        } catch (NoSuchFileException e) {
            // A writer has just deleted it, so the state, which has a lease, does not need it.
        } catch (UnsupportedOperationException e) {
            throw new FileSystemException(
                    name.toString(), chunk.toString(), "snapshots need a file system with hard links");
        }
    }

    /// Lists all snapshots by name.
    public List<Snapshot> list() throws IOException {
        List<Snapshot> all = new ArrayList<>();
        Path folder = StoreFormat.snapshots(store);
        if (!disk.isDirectory(folder)) {
            return all;
        }
        for (Path one : disk.list(folder)) {
            StoreMetaFile found = disk.isDirectory(one) ? StoreMetaFile.find(disk, one) : null;
            try {
                if (found != null) {
                    all.add(describe(one, found.meta()));
                }
            } catch (NoSuchFileException e) {
                // It was just dropped.
            }
        }
        all.sort((a, b) -> a.name().compareTo(b.name()));
        return all;
    }

    private Snapshot describe(Path folder, StoreMeta meta) throws IOException {
        Set<Long> current = new HashSet<>(StoreFormat.chunkIds(disk, store));
        long keptBytes = 0;
        for (long id : StoreFormat.chunkIds(disk, folder)) {
            if (!current.contains(id)) {
                try (Disk.Readable file = disk.open(StoreFormat.chunk(folder, id))) {
                    keptBytes += file.size();
                }
            }
        }
        return new Snapshot(
                folder.getFileName().toString(),
                folder,
                meta.checkpoint().length(),
                meta.checkpoint().sequence(),
                keptBytes);
    }

    /// Removes a snapshot, and the chunks that only it needs.
    ///
    /// @throws NoSuchFileException when the snapshot does not exist
    /// @throws FileSystemException when a reader, in this or another process, has it open
    public void drop(String name) throws IOException {
        Path folder = path(name);
        alone(() -> {
            // Another process may have dropped it before this one had the lock.
            path(name);
            requireOurs(folder);
            // A reader that opens it now either has a lease, or reads `meta.json` again and finds that it is gone.
            Path meta = folder.resolve(StoreFormat.META);
            if (!StoreLease.runWithoutReaders(disk, folder, Long.MAX_VALUE, () -> disk.delete(meta))) {
                throw new FileSystemException(
                        folder.toString(), null, "a reader has the snapshot open; close it first");
            }
            disk.forceDirectory(folder);
            remove(folder);
        });
    }

    /// Removes a folder that is not a snapshot, if it exists.
    private void remove(Path folder) throws IOException {
        if (disk.kind(folder) != Disk.FileKind.FOLDER) {
            return;
        }
        deleteAll(folder);
        disk.forceDirectory(StoreFormat.snapshots(store));
    }

    /// Requires that a folder has only names of a snapshot, because all of them are going to be deleted.
    private void requireOurs(Path folder) throws IOException {
        disk.requireOwn(folder);
        for (Path file : disk.kind(folder) == Disk.FileKind.FOLDER ? disk.list(folder) : List.<Path>of()) {
            if (disk.kind(file) == Disk.FileKind.FOLDER && file.endsWith(StoreFormat.CHUNK_FOLDER)) {
                for (Path chunk : disk.list(file)) {
                    requireFile(chunk, StoreFormat.chunkId(chunk) >= 0);
                }
            } else {
                requireFile(file, isOurs(file));
            }
        }
    }

    private void requireFile(Path file, boolean isName) throws IOException {
        if (!isName || disk.kind(file) == Disk.FileKind.FOLDER) {
            throw new FileAlreadyExistsException(file.toString(), null, "it is not part of a snapshot; remove it");
        }
    }

    private static boolean isOurs(Path file) {
        String name = file.getFileName().toString();
        return Set.of(StoreFormat.META, StoreFormat.LEASE, StoreFormat.CHUNK_FOLDER)
                        .contains(name)
                || name.endsWith(".offset")
                || NewFile.isTemporary(file);
    }

    private void deleteAll(Path folder) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                disk.deleteAll(folder);
                return;
            } catch (DirectoryNotEmptyException e) {
                // A reader that came too late has created `.lease` after the names were read.
                if (attempt == DELETE_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
