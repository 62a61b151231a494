// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/// Zip archives for tests, made byte by byte so that anything in them can be wrong.
final class Archives {
    /// A member as its two headers describe it. NumPy writes the 64-bit numbers in every local header.
    static final class Member {
        final String name;
        final byte[] bytes;
        int flags;
        int method;
        int disk;
        long crc;
        long storedSize;
        long size;
        long localSize;
        /// The offset of the member according to its entry, or -1 for the true offset.
        long offset = -1;

        Member(String name, byte[] bytes) {
            CRC32 crc = new CRC32();
            crc.update(bytes);
            this.name = name;
            this.bytes = bytes;
            this.crc = crc.getValue();
            this.storedSize = bytes.length;
            this.size = bytes.length;
            this.localSize = bytes.length;
        }
    }

    final List<Member> members = new ArrayList<>();
    byte[] comment = {};
    /// Added to what the end record says.
    int countError;

    int directoryOffsetError;
    int disk;

    Archives with(String name, byte[] bytes) {
        members.add(new Member(name, bytes));
        return this;
    }

    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteArrayOutputStream directory = new ByteArrayOutputStream();
        for (Member member : members) {
            long offset = member.offset < 0 ? all.size() : member.offset;
            directory.writeBytes(entry(member, offset));
            all.writeBytes(local(member));
            all.writeBytes(member.bytes);
        }
        int directoryOffset = all.size() + directoryOffsetError;
        all.writeBytes(directory.toByteArray());
        all.writeBytes(buffer(22)
                .putInt(ZipFormat.END_SIGNATURE)
                .putShort((short) disk)
                .putShort((short) 0)
                .putShort((short) (members.size() + countError))
                .putShort((short) (members.size() + countError))
                .putInt(directory.size())
                .putInt(directoryOffset)
                .putShort((short) comment.length)
                .array());
        all.writeBytes(comment);
        return all.toByteArray();
    }

    static byte[] local(Member member) {
        byte[] name = member.name.getBytes(StandardCharsets.UTF_8);
        return buffer(30 + name.length + 20)
                .putInt(ZipFormat.LOCAL_SIGNATURE)
                .putShort((short) 45)
                .putShort((short) member.flags)
                .putShort((short) member.method)
                .putInt(0)
                .putInt((int) member.crc)
                .putLong(-1)
                .putShort((short) name.length)
                .putShort((short) 20)
                .put(name)
                .putShort((short) ZipFormat.EXTRA_64)
                .putShort((short) 16)
                .putLong(member.localSize)
                .putLong(member.storedSize)
                .array();
    }

    /// An entry with 64-bit numbers where they are needed.
    static byte[] entry(Member member, long offset) {
        byte[] name = member.name.getBytes(StandardCharsets.UTF_8);
        boolean isLarge = offset >= 0xFFFF_FFFFL || Long.compareUnsigned(member.size, 0xFFFF_FFFFL) >= 0;
        ByteBuffer entry = buffer(46 + name.length + (isLarge ? 28 : 0))
                .putInt(ZipFormat.ENTRY_SIGNATURE)
                .putInt(0)
                .putShort((short) member.flags)
                .putShort((short) member.method)
                .putInt(0)
                .putInt((int) member.crc)
                .putInt(isLarge ? -1 : (int) member.storedSize)
                .putInt(isLarge ? -1 : (int) member.size)
                .putShort((short) name.length)
                .putShort((short) (isLarge ? 28 : 0))
                .putShort((short) 0)
                .putShort((short) member.disk)
                .put(new byte[6])
                .putInt(isLarge ? -1 : (int) offset)
                .put(name);
        if (isLarge) {
            entry.putShort((short) ZipFormat.EXTRA_64).putShort((short) 24);
            entry.putLong(member.size).putLong(member.storedSize).putLong(offset);
        }
        return entry.array();
    }

    /// The end records of an archive that is too large for the 32-bit one.
    static byte[] end64(long count, long directoryOffset, long directoryBytes) {
        return buffer(56 + 20 + 22)
                .putInt(ZipFormat.END_64_SIGNATURE)
                .putLong(44)
                .putInt(0)
                .putLong(0)
                .putLong(count)
                .putLong(count)
                .putLong(directoryBytes)
                .putLong(directoryOffset)
                .putInt(ZipFormat.LOCATOR_SIGNATURE)
                .putInt(0)
                .putLong(directoryOffset + directoryBytes)
                .putInt(1)
                .putInt(ZipFormat.END_SIGNATURE)
                .putInt(0)
                .putInt(-1)
                .putLong(-1)
                .putShort((short) 0)
                .array();
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }
}
