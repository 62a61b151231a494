// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// The names of the records of an open pack.
///
/// Opening checks the position of the block. Its checksum is checked when a name is first read, so that opening a
/// pack of many records is cheap.
final class PackNames {
    static final long BLOCK_SIZE_OFFSET = Layouts.offset(PackFormat.NAMES, "blockSize");

    private final OpenFile file;
    private final long count;
    private final long blockOffset;
    private final long blockSize;
    private volatile boolean isChecked;

    private PackNames(OpenFile file, long count, long blockOffset, long blockSize) {
        this.file = file;
        this.count = count;
        this.blockOffset = blockOffset;
        this.blockSize = blockSize;
    }

    /// Finds the block of names.
    ///
    /// @param limit the latest end of the block: the first record or the footer
    static PackNames open(OpenFile file, long count, long limit) throws IOException {
        long blockOffset = PackFormat.indexEnd(count);
        long sizeMin = sizeOf(count, 0);
        if (limit - blockOffset < sizeMin) {
            throw bad(file, blockOffset, "the block of names is truncated: it needs at least " + sizeMin + " bytes");
        }
        MemorySegment head = MemorySegment.ofArray(new byte[(int) PackFormat.NAMES_HEAD_SIZE]);
        file.read(blockOffset, head);
        if (head.asSlice(0, BLOCK_SIZE_OFFSET).mismatch(MemorySegment.ofArray(PackFormat.NAMES_MAGIC)) != -1) {
            throw bad(file, blockOffset, "the header announces names, but there are none at this offset");
        }
        long blockSize = head.get(U64, BLOCK_SIZE_OFFSET);
        if (blockSize < sizeMin || blockSize > limit - blockOffset) {
            throw bad(file, blockOffset + BLOCK_SIZE_OFFSET, "impossible size " + Long.toUnsignedString(blockSize));
        }
        return new PackNames(file, count, blockOffset, blockSize);
    }

    /// The size of the block for a number of names with `textBytes` bytes of text.
    static long sizeOf(long count, long textBytes) {
        return PackFormat.NAMES_HEAD_SIZE + (count + 1) * U64.byteSize() + textBytes + PackFormat.CRC_SIZE;
    }

    long blockOffset() {
        return blockOffset;
    }

    long blockSize() {
        return blockSize;
    }

    /// The name of a record.
    String name(long index) {
        Objects.checkIndex(index, count);
        try {
            check();
            MemorySegment range = MemorySegment.ofArray(new byte[16]);
            file.read(blockOffset + PackFormat.NAMES_HEAD_SIZE + index * U64.byteSize(), range);
            return text(index, range.get(U64, 0), range.get(U64, U64.byteSize()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String text(long index, long start, long end) throws IOException {
        long textBytes = blockSize - sizeOf(count, 0);
        long textOffset = blockOffset + PackFormat.NAMES_HEAD_SIZE + (count + 1) * U64.byteSize();
        if (start < 0 || end < start || end > textBytes || end - start > Integer.MAX_VALUE) {
            throw bad(file, textOffset, "the name of record " + index + " lies outside the text");
        }
        byte[] text = new byte[(int) (end - start)];
        file.read(textOffset + start, MemorySegment.ofArray(text));
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString();
        } catch (CharacterCodingException e) {
            throw bad(file, textOffset + start, "the name of record " + index + " is not UTF-8");
        }
    }

    /// Checks the checksum of the block, once.
    void check() throws IOException {
        if (isChecked) {
            return;
        }
        Crc32c crc = new Crc32c();
        long crcOffset = blockOffset + blockSize - PackFormat.CRC_SIZE;
        file.forEachPiece(blockOffset, crcOffset - blockOffset, crc::update);
        MemorySegment stored = MemorySegment.ofArray(new byte[(int) PackFormat.CRC_SIZE]);
        file.read(crcOffset, stored);
        if (stored.get(U32, 0) != crc.value()) {
            throw new DatasetException.Corrupt(file.location(), crcOffset, Reason.CHECKSUM, "checksum mismatch: names");
        }
        isChecked = true;
    }

    private static DatasetException bad(OpenFile file, long offset, String what) {
        return new DatasetException.Corrupt(file.location(), offset, Reason.BAD_NAMES, "names: " + what);
    }
}
