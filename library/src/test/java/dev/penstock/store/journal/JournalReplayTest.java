// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.store.journal.Journals.JOURNAL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The commits that a replay passes on while it reads, and how often it reads their bytes.
class JournalReplayTest {
    private static final int MORE_SYNCED = Journal.MORE | Journal.SYNCED;

    private final MemoryDisk disk = new MemoryDisk().addFolder(Journals.FOLDER);

    /// Counts the bytes that are read.
    private static final class CountingFile implements Disk.Readable {
        private final Disk.Readable file;
        private volatile long readBytes;

        CountingFile(Disk.Readable file) {
            this.file = file;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            long count = file.read(offset, target);
            readBytes += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /// The sequences that are handed over at once, a bar, and those that are handed over in the end.
    private List<String> order(long sequenceLimit) throws IOException {
        try (Disk.Readable file = disk.open(Journals.FILE)) {
            JournalReplay replay = JournalReplay.open(JOURNAL, Location.of(Journals.FILE), file);
            List<String> order = new ArrayList<>();
            JournalReplay.Visitor visitor = (frame, offset, items, firstItem) -> order.add("" + frame.sequence());
            replay.read(sequenceLimit, visitor);
            order.add("|");
            replay.forEach(replay.end(), visitor);
            return order;
        }
    }

    @Test
    void aCommitIsHandedOverAtOnceWhenItIsCompleteAndSynced() throws IOException {
        try (JournalWriter writer = Journals.create(disk, Journals.HEADER, 4096)) {
            Journals.append(writer, Journal.OVERLAY, Journal.SYNCED, 2, 7);
            Journals.append(writer, Journal.COMMIT, Journal.SYNCED, 1, 1);
            Journals.append(writer, Journal.COMMIT, 0, 1, 2);
            Journals.append(writer, Journal.SYNC, Journal.SYNCED, 0, 3);
            Journals.append(writer, Journal.COMMIT, MORE_SYNCED, 1, 4);
            Journals.append(writer, Journal.COMMIT, Journal.SYNCED, 1, 5);
            Journals.append(writer, Journal.COMMIT, 0, 1, 6);
            Journals.append(writer, Journal.COMMIT, MORE_SYNCED, 1, 7);
        }
        assertEquals(List.of("100", "101", "102", "103", "104", "105", "|", "106"), order(Long.MAX_VALUE));
        assertEquals(List.of("100", "101", "|", "102", "103", "104", "105", "106"), order(102));
    }

    @Test
    void aLongJournalIsReadOnce() throws IOException {
        int itemCount = 20_000;
        try (JournalWriter writer = Journals.create(disk, Journals.HEADER, 4096)) {
            for (int i = 0; i < 40; i++) {
                Journals.append(writer, Journal.COMMIT, Journal.SYNCED, itemCount, i);
            }
        }
        try (CountingFile file = new CountingFile(disk.open(Journals.FILE))) {
            JournalReplay replay = JournalReplay.open(JOURNAL, Location.of(Journals.FILE), file);
            long[] itemBytes = new long[1];
            replay.read(Long.MAX_VALUE, (frame, offset, items, firstItem) -> itemBytes[0] += items.byteSize());
            assertEquals(40L * itemCount * JOURNAL.itemSize(), itemBytes[0]);
            assertTrue(file.readBytes < 1.01 * file.size(), file.readBytes + " of " + file.size());
        }
    }
}
