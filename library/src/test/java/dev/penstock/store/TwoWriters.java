// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/// Two threads that write to one store, in a way that every visible state can be checked.
///
/// Commit `k` of a thread appends two records, updates one of its own and sometimes deletes one, all of which
/// follow from `k`. A value says its thread, its number among the records of that thread, and the commit that
/// updated it. A commit of the other thread may take the first changes of a commit with it.
final class TwoWriters {
    static final int COUNT = 2;
    private static final int APPENDED = 2;
    private static final int DELETING = 4;

    private TwoWriters() {}

    private static String value(int thread, int number, long version) {
        String name = thread + "." + number + "." + version + " ";
        return name.repeat(1 + (int) ((number * 7L + version * 131) % 100));
    }

    private static int updated(long commit) {
        return (int) (commit * 11 % (commit * APPENDED));
    }

    /// The number of the record that a commit deletes, or -1. It is none of the last ones, so that the highest
    /// number of a thread tells how far the thread has come.
    private static int deleted(long commit) {
        return commit % DELETING == 0 ? (int) (commit * 5 % ((commit - 1) * APPENDED)) : -1;
    }

    /// By number, the version of each record of a thread after some commits, or -1 where it was deleted.
    private static long[] versions(long commits) {
        long[] versions = new long[Math.toIntExact(commits * APPENDED)];
        for (long commit = 1; commit <= commits; commit++) {
            int updated = updated(commit);
            versions[updated] = versions[updated] < 0 ? -1 : commit;
            if (deleted(commit) >= 0) {
                versions[deleted(commit)] = -1;
            }
        }
        return versions;
    }

    /// The records of one thread, as a reader finds them.
    private static final class Found {
        private final TreeMap<Integer, Long> versions = new TreeMap<>();
        private final TreeMap<Integer, Long> indices = new TreeMap<>();

        int numberLimit() {
            return versions.isEmpty() ? 0 : versions.lastKey() + 1;
        }

        long commits() {
            return numberLimit() / APPENDED;
        }
    }

    /// Goes on where the thread has stopped, and begins with the commit that may not be whole.
    static final class Writer {
        private final StoreWriter store;
        private final int thread;
        private final TreeMap<Integer, Long> indices;
        private long next;

        Writer(StoreWriter store, int thread) throws IOException {
            this.store = store;
            this.thread = thread;
            try (StoreReader snapshot = store.snapshot()) {
                Found found = find(snapshot).get(thread);
                this.indices = found.indices;
                this.next = Math.max(1, found.commits());
            }
        }

        /// @return the number of the commit
        long commit() throws IOException {
            long commit = next++;
            for (int number = (int) (commit - 1) * APPENDED; number < commit * APPENDED; number++) {
                if (!indices.containsKey(number)) {
                    indices.put(
                            number,
                            store.append(List.of(value(thread, number, 0).getBytes())));
                }
            }
            Long updated = indices.get(updated(commit));
            if (updated != null && !store.isDeleted(updated)) {
                store.update(
                        updated, "A", value(thread, updated(commit), commit).getBytes());
            }
            Long deleted = indices.get(deleted(commit));
            if (deleted != null && !store.isDeleted(deleted)) {
                store.delete(deleted);
            }
            store.commit();
            return commit;
        }
    }

    private static List<Found> find(StoreReader reader) throws IOException {
        return reader.using(view -> {
            List<Found> all = List.of(new Found(), new Found());
            long deletedCount = 0;
            for (long index = 0; index < view.cells().length(); index++) {
                StoreEntry entry = view.cells().get(0, index);
                if (entry.isDeleted()) {
                    deletedCount++;
                    continue;
                }
                StoreField field = view.state().meta().fields().getFirst();
                add(all, index, new String(view.state().values().value(field, entry)));
            }
            long gaps = 0;
            for (Found found : all) {
                gaps += found.numberLimit() - found.versions.size();
            }
            require(gaps == deletedCount, deletedCount + " records are deleted and " + gaps + " are not there");
            return all;
        });
    }

    private static void add(List<Found> all, long index, String text) {
        String[] words = text.substring(0, Math.max(0, text.indexOf(' '))).split("\\.");
        require(words.length == 3, "record " + index + " is no record: " + text);
        Found found = all.get(Integer.parseInt(words[0]));
        int number = Integer.parseInt(words[1]);
        long version = Long.parseLong(words[2]);
        require(text.equals(value(Integer.parseInt(words[0]), number, version)), "record " + index + " is " + text);
        require(number >= found.numberLimit(), "record " + number + " of thread " + words[0] + " is doubled");
        found.versions.put(number, version);
        found.indices.put(number, index);
    }

    private static void require(boolean isTrue, String otherwise) {
        if (!isTrue) {
            throw new IllegalStateException(otherwise);
        }
    }

    /// Compares all records with those after the commits of both threads.
    ///
    /// @param acknowledged by thread, its last commit that was acknowledged before the reader was opened
    /// @return commits of both threads
    static long check(StoreReader reader, long[] acknowledged) throws IOException {
        List<Found> all = find(reader);
        long commits = 0;
        for (int thread = 0; thread < COUNT; thread++) {
            check(thread, all.get(thread), acknowledged[thread]);
            commits += all.get(thread).commits();
        }
        return commits;
    }

    private static void check(int thread, Found found, long acknowledged) {
        long commits = found.commits();
        require(commits >= acknowledged, "commit " + acknowledged + " of thread " + thread + " is lost");
        long[] after = versions(commits);
        long[] before = Arrays.copyOf(versions(Math.max(0, commits - 1)), after.length);
        List<String> wrong = new ArrayList<>();
        for (int number = 0; number < after.length; number++) {
            long version = found.versions.getOrDefault(number, -1L);
            // Part of the last commit may be there if it was not acknowledged.
            boolean isRight = version == after[number] || acknowledged < commits && version == before[number];
            if (!isRight) {
                wrong.add(number + " has version " + version + " and not " + after[number]);
            }
        }
        require(wrong.isEmpty(), "after commit " + commits + " of thread " + thread + ": " + wrong);
    }
}
