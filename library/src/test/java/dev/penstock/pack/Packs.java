// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/// Packs for tests: built in memory, opened from memory, and put right again after a change.
final class Packs {
    /// A name on a disk that exists only in memory.
    static final Path PATH = Path.of("/disk/test.a2pack");

    static final List<PackRecord> SAMPLE = List.of(
            PackRecord.of("the first record, which is the longest of them, them, them, them, them, them, them, them"),
            PackRecord.of(""),
            new PackRecord(null, SampleRuns.V1, new byte[75]),
            new PackRecord(null, SampleRuns.V2, new byte[0]),
            PackRecord.of("x"),
            new PackRecord(null, SampleRuns.V2, "abcabcabcabcabcabcabcabcabcabcabcabcabcabc!".getBytes()));

    private Packs() {}

    static PackWriter.Options options() {
        return PackWriter.Options.DEFAULT.withAlignment(64);
    }

    /// The same records with names.
    static List<PackRecord> named(List<PackRecord> records) {
        String[] names = {"a", "b/ü", "c.txt", "d", "e e", "日本"};
        return IntStream.range(0, records.size())
                .mapToObj(i -> records.get(i).named(names[i % names.length] + (i < names.length ? "" : i)))
                .toList();
    }

    /// The bytes of a pack.
    static byte[] bytes(PackWriter.Options options, List<PackRecord> records) throws IOException {
        return bytes(options, records, null, false);
    }

    static byte[] bytes(PackWriter.Options options, List<PackRecord> records, byte[] stats, boolean isExpecting)
            throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(PATH.getParent());
        write(PATH, options.withDisk(disk), records, stats, isExpecting);
        return disk.bytes(PATH);
    }

    static void write(
            Path target, PackWriter.Options options, List<PackRecord> records, byte[] stats, boolean isExpecting)
            throws IOException {
        PackWriter writer = PackWriter.create(target, options);
        try {
            if (isExpecting) {
                writer.expect(records.size(), nameBytes(records));
            }
            for (PackRecord record : records) {
                writer.append(record.name(), record.kind(), MemorySegment.ofArray(record.bytes()));
            }
            if (stats != null) {
                writer.setStatsBlock(stats);
            }
            writer.close();
        } finally {
            writer.abort();
        }
    }

    private static long nameBytes(List<PackRecord> records) {
        return records.stream()
                .filter(record -> record.name() != null)
                .mapToLong(record -> record.name().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    /// A pack of compressed records with both codecs: those of the second half come from an LZ4 pack.
    static byte[] ofBothCodecs(List<PackRecord> records) throws IOException {
        MemorySegment pack = MemorySegment.ofArray(bytes(options().withCodec(Codec.ZSTD, 0), records));
        byte[] bytes = pack.toArray(Layouts.U8);
        MemorySegment target = MemorySegment.ofArray(bytes);
        for (int i = records.size() / 2; i < records.size(); i++) {
            recompress(target, i, records.get(i).bytes());
        }
        repair(bytes);
        return bytes;
    }

    /// Puts an LZ4 form where the Zstandard one was, if it is no longer.
    private static void recompress(MemorySegment pack, int index, byte[] raw) {
        long at = PackIndex.entryOffset(index);
        PackEntry old = PackEntry.read(pack, at);
        Codec.Packer packer = Codec.LZ4.packer(0);
        MemorySegment room = MemorySegment.ofArray(new byte[(int) packer.sizeMax(raw.length)]);
        long size = raw.length == 0 ? 0 : packer.pack(MemorySegment.ofArray(raw), room);
        if (size > 0 && size < raw.length && size <= old.storedSize()) {
            MemorySegment.copy(room, 0, pack, old.offset(), size);
            int crc = Crc32c.of(room.asSlice(0, size));
            new PackEntry(old.offset(), size, old.kindCode(), PackEntry.flags(Codec.LZ4), crc, raw.length)
                    .write(pack, at);
        }
    }

    /// Makes the checksums of header, index and footer fit again, as far as the file has these parts, and the end
    /// of the data too.
    static void repair(byte[] bytes) {
        MemorySegment pack = MemorySegment.ofArray(bytes);
        if (bytes.length < PackFormat.HEADER_SIZE + PackFormat.FOOTER_SIZE) {
            return;
        }
        pack.set(Layouts.U32, 24, Crc32c.of(pack.asSlice(0, 24)));
        long count = pack.get(Layouts.U64, 16);
        long footer = bytes.length - PackFormat.FOOTER_SIZE;
        if (count >= 0 && count <= (footer - PackFormat.HEADER_SIZE) / PackFormat.ENTRY_SIZE) {
            MemorySegment index = pack.asSlice(PackFormat.HEADER_SIZE, count * PackFormat.ENTRY_SIZE);
            pack.set(Layouts.U32, footer + 8, Crc32c.of(index));
            long end = 0;
            for (long i = 0; i < count; i++) {
                PackEntry entry = PackEntry.read(index, i * PackFormat.ENTRY_SIZE);
                long entryEnd = entry.offset() + entry.storedSize();
                end = Long.compareUnsigned(entryEnd, end) > 0 ? entryEnd : end;
            }
            pack.set(Layouts.U64, footer, end);
        }
        pack.set(Layouts.U32, footer + 24, Crc32c.of(pack.asSlice(footer, 24)));
    }

    static PackReader open(byte[] bytes) throws IOException {
        return open(bytes, Access.MMAP);
    }

    static PackReader open(byte[] bytes, Access access) throws IOException {
        Disk disk = new MemoryDisk().put(PATH, bytes);
        return PackReader.open(
                PATH,
                PackReader.Options.DEFAULT.withDisk(disk).withAccess(access).withThreads(1));
    }

    /// The file of a pack, without any look at what is in it.
    static OpenFile file(byte[] bytes) throws IOException {
        return OpenFile.open(
                PATH,
                ReaderOptions.DEFAULT
                        .withDisk(new MemoryDisk().put(PATH, bytes))
                        .withAccess(Access.READ));
    }
}
