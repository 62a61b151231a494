// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Journals for tests: each commit is some items, all of whose bytes are the commit's own.
final class Journals {
    static final Journal JOURNAL = new Journal("TESTJRNL", "TJF1", 32);
    static final Path FOLDER = Path.of("/data");
    static final Path FILE = FOLDER.resolve("1.journal");
    static final JournalHeader HEADER = new JournalHeader(new UUID(1, 2), 1, 0x5eed, 100);

    private Journals() {}

    static JournalWriter create(Disk disk, JournalHeader header, long roomBytes) throws IOException {
        return JournalWriter.create(disk, FILE, JOURNAL, header, roomBytes);
    }

    /// Appends a frame whose items are filled with the low byte of a number.
    static long append(JournalWriter writer, int kind, int flags, int itemCount, int fill) throws IOException {
        if (writer.grow(JOURNAL.frameSize(itemCount))) {
            writer.forceLength();
        }
        writer.items(itemCount).fill((byte) fill);
        return writer.append(kind, flags, 3, fill, itemCount);
    }

    /// A frame that was found, as text: what it says of itself and what its items are filled with.
    static String text(JournalFrame frame, int fill) {
        return frame.kind() + ":" + frame.flags() + ":" + frame.sequence() + ":" + frame.count() + ":" + fill;
    }

    /// The result of a replay.
    ///
    /// @param frames each as text
    record Found(JournalReplay replay, List<String> frames) {}

    static Found read(Disk disk) throws IOException {
        try (Disk.Readable file = disk.open(FILE)) {
            JournalReplay replay = JournalReplay.open(JOURNAL, Location.of(FILE), file);
            List<String> frames = new ArrayList<>();
            int[] items = new int[1];
            JournalReplay.Visitor visitor = (frame, offset, some, firstItem) -> {
                items[0] = firstItem == 0 ? 0 : items[0];
                if (items[0] != firstItem) {
                    throw new AssertionError("items " + items[0] + " to " + firstItem + " are missing");
                }
                items[0] += (int) (some.byteSize() / JOURNAL.itemSize());
                if (items[0] == frame.count()) {
                    frames.add(text(frame, fill(frame, some)));
                }
            };
            replay.read(Long.MAX_VALUE, visitor);
            replay.forEach(Long.MAX_VALUE, visitor);
            return new Found(replay, frames);
        }
    }

    /// The byte that all items are filled with, or -1 when they differ.
    private static int fill(JournalFrame frame, MemorySegment items) {
        byte[] bytes = items.toArray(Layouts.U8);
        byte[] expected = new byte[bytes.length];
        Arrays.fill(expected, (byte) frame.length());
        return Arrays.equals(bytes, expected) ? (int) frame.length() : -1;
    }
}
