// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Disk;
import dev.penstock.store.journal.Journal;
import dev.penstock.store.journal.JournalHeader;
import dev.penstock.store.journal.JournalWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Writes changes to journals, and creates journals.
final class StoreJournals {
    /// The number of changes in one frame; a larger commit takes several.
    private static final int FRAME_CHANGES_MAX = 1 << 15;

    private static final long ROOM_MAX = 1L << 20;
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})\\.zj");
    private static final SecureRandom RANDOM = new SecureRandom();

    private StoreJournals() {}

    /// A random number that distinguishes journals, so that bytes of an earlier file are never taken for frames.
    static long newSalt() {
        return RANDOM.nextLong();
    }

    /// The space for frames in a new journal, in bytes.
    static long room(StoreOptions options) {
        return Math.min(ROOM_MAX, options.rotateBytes());
    }

    /// The number of frames for a number of changes.
    static long frameCount(long changeCount) {
        return Math.ceilDiv(changeCount, FRAME_CHANGES_MAX);
    }

    /// The size of the frames of a commit, and of a SYNC frame after it, which must not fail.
    static long commitBytes(long changeCount) {
        return (Math.max(1, frameCount(changeCount)) + 1) * Journal.FRAME_HEAD_SIZE
                + changeCount * StoreFormat.CHANGE_SIZE;
    }

    /// Writes changes as one frame, or as several; all frames of a commit except the last are marked with MORE.
    static void writeFrames(
            JournalWriter target, int kind, int flags, int fieldCount, long length, List<StoreChange> changes)
            throws IOException {
        int done = 0;
        do {
            int count = Math.min(FRAME_CHANGES_MAX, changes.size() - done);
            MemorySegment items = target.items(count);
            for (int i = 0; i < count; i++) {
                changes.get(done + i).write(items, (long) i * StoreFormat.CHANGE_SIZE);
            }
            done += count;
            boolean hasMore = kind == Journal.COMMIT && done < changes.size();
            target.append(kind, flags | (hasMore ? Journal.MORE : 0), fieldCount, length, count);
        } while (done < changes.size());
    }

    /// The journals of a store. Other files in their folder are not ours.
    static List<Path> list(Disk disk, Path store) throws IOException {
        return disk.list(store.resolve(StoreFormat.JOURNAL_FOLDER)).stream()
                .filter(file -> number(file) >= 0)
                .toList();
    }

    /// The number in the name of a journal, or -1.
    private static long number(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /// Creates a journal with the next number, with space for an overlay and more. Nothing is forced yet.
    static JournalWriter create(
            Disk disk, Path store, StoreMeta meta, long sequence, StoreOptions options, long overlayCount)
            throws IOException {
        long number = meta.checkpoint().journal().number();
        for (Path file : list(disk, store)) {
            number = Math.max(number, number(file));
        }
        JournalHeader header = new JournalHeader(meta.uuid(), number + 1, newSalt(), sequence);
        long overlayBytes = frameCount(overlayCount) * Journal.FRAME_HEAD_SIZE + overlayCount * StoreFormat.CHANGE_SIZE;
        Path path = StoreFormat.journal(store, header.number());
        return JournalWriter.create(
                disk, path, store.resolve(StoreFormat.META), StoreFormat.JOURNAL, header, room(options) + overlayBytes);
    }
}
