// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Trees beyond 4 GiB, in files with holes.
@Tag("full")
class TreeLargeTest {
    private static final long FAR = (5L << 30) + 12_345;

    @TempDir
    Path folder;

    private Path write(SortedMap<byte[], Long> map) throws IOException {
        Path file = folder.resolve("far.act");
        try (TreeWriter writer =
                TreeWriter.create(file, TreeWriter.Options.DEFAULT, null, FAR, ArenaOutput.WINDOW_MAX)) {
            for (Map.Entry<byte[], Long> entry : map.entrySet()) {
                writer.append(entry.getKey(), entry.getValue());
            }
        }
        return file;
    }

    @Test
    void nodesBeyond4GiBAreWrittenAndRead() throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.get("varlen_60k");
        Path file = write(map);
        assertTrue(Files.size(file) > FAR);
        try (TreeReader tree = TreeReader.open(file)) {
            Trees.requireEqual(map, tree.scan());
            map.forEach((key, value) -> assertEquals(value, tree.get(key).getAsLong()));
            assertEquals(map.size(), tree.count());
            assertTrue(tree.verify(Progress.NONE).isOk());
            TreeStats stats = tree.stats();
            assertTrue(stats.otherBytes() > FAR - 100, stats.toString());
        }
    }

    /// A root at the end whose children are at the start of the file: distances of more than 32 bits.
    @Test
    void distancesBeyond4GiBAreFollowed() throws IOException {
        Path file = folder.resolve("distance.act");
        byte[] number = new byte[Varint.SIZE_MAX];
        byte[] near = {5, 'l', 'i', 'n', 'e', 's', 0x40, 7, (byte) 0xC0, (byte) 0xF8, (byte) 0xFF, 8};
        try (Disk.Writable out = Disk.real().create(file)) {
            out.write(MemorySegment.ofArray(near), 16);
            byte[] root = new byte[32];
            root[0] = 2;
            int size = Varint.write(root, 1, FAR - 22);
            root[size] = 'a';
            root[size + 1] = 'b';
            out.write(MemorySegment.ofArray(root).asSlice(0, size + 2), FAR);
            out.write(MemorySegment.ofArray(new byte[8]), FAR + size + 2);
            out.write(new TreeHeader(FAR).write(), 0);
        }
        assertEquals(6, Varint.write(number, 0, FAR - 22));
        for (Access access : new Access[] {Access.MMAP}) {
            try (TreeReader tree = TreeReader.open(file, TreeReader.Options.DEFAULT.withAccess(access))) {
                assertEquals(7, tree.get(TreeKeySets.bytes("a")).getAsLong());
                assertEquals(255, tree.get(TreeKeySets.bytes("blines")).getAsLong());
                assertEquals("61=7\n626c696e6573=255\n", Trees.text(Trees.read(tree.scan())));
                assertTrue(tree.verify(Progress.NONE).isOk());
            }
        }
    }
}
