// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.BuggyDisks;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.Disk;
import dev.penstock.memory.ForwardingDisk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// Disks that make a store's writer do one thing wrongly.
final class StoreBugs {
    /// `ZRJ1`.
    private static final int FRAME_MAGIC = 0x314A525A;

    private static final long FRAME_CRC_OFFSET = 44;

    private StoreBugs() {}

    /// As if changed tables got their names while `meta.json` was there.
    static Disk withoutSwitch(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                if (!to.getFileName().toString().equals(StoreFormat.META_SWITCH)) {
                    super.move(from, to);
                }
            }
        };
    }

    /// As if the old journal was deleted before the new `meta.json` has its name.
    static Disk withEarlyDelete(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                Path journals = StoreModel.STORE.resolve(StoreFormat.JOURNAL_FOLDER);
                boolean isMeta = to.getFileName().toString().equals(StoreFormat.META);
                if (isMeta && disk.exists(journals)) {
                    List<Path> files = disk.list(journals).stream()
                            .sorted((a, b) -> Long.compare(number(a), number(b)))
                            .toList();
                    for (Path file : files.subList(0, Math.max(0, files.size() - 1))) {
                        disk.delete(file);
                    }
                }
                super.move(from, to);
            }
        };
    }

    /// As if the replay took tombstones for missing values. They are missing values in the journal, and its
    /// checksums are right.
    static Disk withLostTombstones(Disk disk) {
        Path journals = StoreModel.STORE.resolve(StoreFormat.JOURNAL_FOLDER);
        return BuggyDisks.withOtherBytesIn(disk, journals, StoreBugs::loseTombstones);
    }

    private static void loseTombstones(MemorySegment frame) {
        boolean isFrame = frame.byteSize() >= Journal.FRAME_HEAD_SIZE && frame.get(Layouts.U32, 0) == FRAME_MAGIC;
        if (!isFrame) {
            return;
        }
        long entryOffset = Layouts.offset(StoreFormat.CHANGE, "entry");
        for (long at = Journal.FRAME_HEAD_SIZE; at < frame.byteSize(); at += StoreFormat.CHANGE_SIZE) {
            if (StoreEntry.read(frame, at + entryOffset).isDeleted()) {
                StoreEntry.MISSING.write(frame, at + entryOffset);
            }
        }
        Crc32c crc = new Crc32c();
        crc.update(frame.asSlice(0, FRAME_CRC_OFFSET));
        crc.update(frame.asSlice(Journal.FRAME_HEAD_SIZE));
        frame.set(Layouts.U32, FRAME_CRC_OFFSET, crc.value());
    }

    private static long number(Path journal) {
        return Long.parseLong(journal.getFileName().toString().replace(".zj", ""));
    }
}
