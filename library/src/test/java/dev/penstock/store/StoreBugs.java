// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.store.journal.Journal;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Disks that make a store's writer do one thing wrongly.
final class StoreBugs {
    /// `ZRJ1`.
    private static final int FRAME_MAGIC = 0x314A525A;

    private static final long FRAME_CRC_OFFSET = 44;

    private StoreBugs() {}

    /// Appends a record that has its index before its value is placed.
    static long appendIndexFirst(StoreWriter store, List<byte[]> values) throws IOException {
        return appendIndexFirst(store, values, () -> {});
    }

    /// @param between is done when the record has its index and no value
    static long appendIndexFirst(StoreWriter store, List<byte[]> values, Runnable between) throws IOException {
        PlacedRows nothing = new PlacedRows(store.fields(), 1);
        long index = store.core().append(() -> nothing);
        between.run();
        MemorySegment[] cells = {MemorySegment.ofArray(values.getFirst())};
        RowPlacer placer = new RowPlacer(store.fields(), store.core().chunks());
        store.core().update(index, new int[] {0}, () -> placer.place(cells));
        return index;
    }

    /// As if only every other chunk was forced, although several are written at the same time.
    static Disk withOneChunkUnforced(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public Writable openForWriting(Path file) throws IOException {
                return isOther(file) ? new UnforcedWriter(super.openForWriting(file)) : super.openForWriting(file);
            }
        };
    }

    /// As if every other chunk was forced only when the journal was forced already.
    static Disk withOneChunkLate(Disk disk) {
        List<Disk.Writable> late = new CopyOnWriteArrayList<>();
        return new ForwardingDisk(disk) {
            @Override
            public Writable create(Path file) throws IOException {
                Writable writable = super.create(file);
                return !file.toString().endsWith(".zj")
                        ? writable
                        : new ForwardingWriter(writable) {
                            @Override
                            public void forceData() throws IOException {
                                super.forceData();
                                forceLate();
                            }
                        };
            }

            private void forceLate() throws IOException {
                for (Writable one : late) {
                    late.remove(one);
                    one.force();
                }
            }

            @Override
            public Writable openForWriting(Path file) throws IOException {
                Writable writable = super.openForWriting(file);
                return !isOther(file)
                        ? writable
                        : new UnforcedWriter(writable) {
                            @Override
                            public void force() {
                                late.add(writable);
                            }
                        };
            }
        };
    }

    private static boolean isOther(Path file) {
        return file.toString().endsWith(".zr") && number(file) % 2 == 1;
    }

    private static class UnforcedWriter extends ForwardingDisk.ForwardingWriter {
        UnforcedWriter(Disk.Writable writable) {
            super(writable);
        }

        @Override
        public void force() {
            // The planted bug.
        }
    }

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

    /// As if no reader had a lease.
    static Disk withoutLeases(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public Locks locks(Path file) throws IOException {
                return file.getFileName().toString().equals(StoreFormat.LEASE)
                        ? new MemoryDisk().addFolder(file.getParent()).locks(file)
                        : super.locks(file);
            }
        };
    }

    /// As if chunks that a publish retires were deleted before the publish.
    static Disk withEarlyRetirement(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                for (Path file : disk.list(from.getParent())) {
                    if (from.getParent().equals(StoreModel.STORE) && NewFile.isTemporary(file)) {
                        deleteRetired(disk, file);
                    }
                }
                super.move(from, to);
            }
        };
    }

    private static void deleteRetired(Disk disk, Path file) throws IOException {
        try (Disk.Readable readable = disk.open(file)) {
            byte[] bytes = new byte[Math.toIntExact(readable.size())];
            readable.read(0, MemorySegment.ofArray(bytes));
            boolean isMeta = bytes.length > 0 && bytes[0] == '{';
            for (StoreMeta.Retired one :
                    isMeta ? StoreMetaFile.read(file, bytes).chunks().retired() : List.<StoreMeta.Retired>of()) {
                disk.delete(StoreFormat.chunk(StoreModel.STORE, one.chunk()));
            }
        }
    }

    /// The number of a journal or a chunk.
    private static long number(Path file) {
        return Long.parseLong(file.getFileName().toString().replaceAll("\\.z[jr]$", ""));
    }
}
