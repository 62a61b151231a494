// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.store.journal.JournalHeader;
import dev.penstock.store.journal.JournalWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Writes the files of an empty store. `meta.json` is written last, so that an unfinished creation leaves no
/// store.
final class StoreCreation {
    /// The size of a new table in bytes.
    private static final int TABLE_SIZE_MIN = 4096;

    private StoreCreation() {}

    /// Checks that a store can be created. Files of an unfinished creation, without `meta.json`, may be
    /// overwritten.
    ///
    /// @throws FileAlreadyExistsException when there is a store, or a file that is not part of one
    static void requireFree(Disk disk, Path path) throws IOException {
        if (StoreMetaFile.find(disk, path) != null) {
            throw new FileAlreadyExistsException(path.toString(), null, "a store already exists here: open it");
        }
        for (Path file : disk.list(path)) {
            if (!isOfUnfinishedStore(file)) {
                throw new FileAlreadyExistsException(
                        path.toString(), null, "the folder is not empty: it has " + file.getFileName());
            }
        }
    }

    private static boolean isOfUnfinishedStore(Path file) {
        String name = file.getFileName().toString();
        Set<String> ours = Set.of(StoreFormat.LOCK, StoreFormat.CHUNK_FOLDER, StoreFormat.JOURNAL_FOLDER);
        return ours.contains(name) || name.endsWith(".offset") || NewFile.isTemporary(file);
    }

    static void create(Path store, List<StoreField> fields, StoreOptions options) throws IOException {
        Disk disk = options.disk();
        disk.createDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        disk.createDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER));
        for (StoreField field : fields) {
            createTable(disk, StoreFormat.table(store, field.name()));
        }
        JournalHeader header = new JournalHeader(UUID.randomUUID(), 1, StoreJournals.newSalt(), 0);
        createJournal(disk, store, header, StoreJournals.room(options));
        disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        disk.forceDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER));
        disk.forceDirectory(store);
        Path parent = store.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? store : parent);
        StoreMeta meta = StoreMeta.empty(fields, options, header);
        ChecksummedJson.publish(disk, store.resolve(StoreFormat.META), meta.write());
    }

    private static void createTable(Disk disk, Path table) throws IOException {
        disk.delete(table);
        try (Disk.Writable file = disk.create(table)) {
            file.write(MemorySegment.ofArray(new byte[TABLE_SIZE_MIN]), 0);
            file.force();
        }
    }

    private static void createJournal(Disk disk, Path store, JournalHeader header, long room) throws IOException {
        Path path = StoreFormat.journal(store, header.number());
        disk.delete(path);
        JournalWriter journal = JournalWriter.create(disk, path, StoreFormat.JOURNAL, header, room);
        try {
            journal.forceAll();
        } catch (Throwable e) {
            Closing.after(e, journal::close);
            throw e;
        }
        journal.close();
    }
}
