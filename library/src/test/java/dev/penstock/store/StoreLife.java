// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A process that commits to a store until something ends it, and notes each commit when it is acknowledged.
///
/// Commit `k` appends three records, updates one and sometimes deletes one, all of which follow from `k`. So the
/// number of records tells how many commits a store has, and [#state] what it should hold.
final class StoreLife {
    static final int APPENDED = 3;
    private static final int DELETING = 4;

    private StoreLife() {}

    private static String value(long commit, int part) {
        return (commit + "." + part + " ").repeat(1 + (int) ((commit * 7 + part * 131) % 200));
    }

    /// The record that a commit deletes, or -1.
    private static long deleted(long commit) {
        return commit % DELETING == 0 ? commit * 5 % (commit * APPENDED) : -1;
    }

    private static long updated(long commit) {
        return commit * 11 % (commit * APPENDED);
    }

    /// The records of a store after a number of commits, as [StoreModel] writes them.
    static List<String> state(long commits) {
        List<String> records = new ArrayList<>();
        for (long commit = 1; commit <= commits; commit++) {
            for (int part = 0; part < APPENDED; part++) {
                records.add("'" + value(commit, part) + "'");
            }
            int updated = (int) updated(commit);
            if (!records.get(updated).equals("deleted")) {
                records.set(updated, "'" + value(commit, APPENDED) + "'");
            }
            if (deleted(commit) >= 0) {
                records.set((int) deleted(commit), "deleted");
            }
        }
        return records;
    }

    static void commit(StoreWriter store, long commit) throws IOException {
        for (int part = 0; part < APPENDED; part++) {
            store.append(List.of(value(commit, part).getBytes()));
        }
        if (!store.isDeleted(updated(commit))) {
            store.update(updated(commit), "A", value(commit, APPENDED).getBytes());
        }
        long deleted = deleted(commit);
        if (deleted >= 0 && !store.isDeleted(deleted)) {
            store.delete(deleted);
        }
        store.commit();
    }

    /// Commits that a reader finds.
    static long commits(StoreReader reader) {
        return reader.count() / APPENDED;
    }

    /// The last commit that was acknowledged, as a log has it.
    static long acknowledged(Path log) throws IOException {
        return !Files.exists(log) || Files.size(log) < Long.BYTES
                ? 0
                : ByteBuffer.wrap(Files.readAllBytes(log)).getLong(0);
    }

    /// The store, the log, and `unforced` to leave out all forces.
    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        boolean isUnforced = arguments[2].equals("unforced");
        Disk disk = isUnforced ? BuggyDisks.withoutForce(BuggyDisks.withoutForceDirectory(Disk.real())) : Disk.real();
        StoreOptions options =
                StoreOptions.DEFAULT.withDisk(disk).withChunkRows(500).withRotateBytes(20_000);
        try (RandomAccessFile log = new RandomAccessFile(arguments[1], "rw");
                StoreWriter store = Files.exists(path.resolve(StoreFormat.META))
                                || Files.exists(path.resolve(StoreFormat.META_SWITCH))
                        ? StoreWriter.open(path, options)
                        : StoreWriter.create(path, List.of(StoreField.bytes("A")), options)) {
            for (long commit = store.count() / APPENDED + 1; ; commit++) {
                commit(store, commit);
                log.seek(0);
                log.writeLong(commit);
                if (commit % 50 == 0) {
                    store.checkpoint();
                }
            }
        }
    }
}
