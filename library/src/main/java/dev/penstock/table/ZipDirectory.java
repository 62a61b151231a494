// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The directory of a zip archive. It is found from the end of the file and checked as a whole: members must not
/// overlap, and no two may have the same name.
final class ZipDirectory {
    /// The largest two-byte length.
    private static final int COMMENT_SIZE_MAX = 0xFFFF;

    private final Location file;
    private final Disk.Readable archive;
    private final long fileSize;

    private ZipDirectory(Location file, Disk.Readable archive, long fileSize) {
        this.file = file;
        this.archive = archive;
        this.fileSize = fileSize;
    }

    /// The location of the directory, as the end records give it.
    ///
    /// @param limit the offset of the first end record
    private record Place(long count, long offset, long byteCount, long limit) {}

    /// Reads all entries, in the order of the members in the file.
    ///
    /// @throws DatasetException when the archive is damaged, or is split into several files
    static List<ZipEntry> read(Location file, Disk.Readable archive) throws IOException {
        ZipDirectory directory = new ZipDirectory(file, archive, archive.size());
        Place place = directory.place();
        return directory.inOrder(directory.entries(place), place.offset());
    }

    /// Copies bytes of the archive. The caller has checked that the size is bounded.
    static MemorySegment bytes(Location file, Disk.Readable archive, long offset, int byteCount) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(new byte[byteCount]);
        long done = archive.read(offset, bytes);
        if (done < byteCount) {
            throw new DatasetException.Corrupt(
                    file, offset + done, Reason.TRUNCATED, "the archive ends inside a header");
        }
        return bytes;
    }

    private MemorySegment bytes(long offset, int byteCount) throws IOException {
        return bytes(file, archive, offset, byteCount);
    }

    private DatasetException corrupt(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(file, offset, reason, what);
    }

    private void requireOneDisk(boolean isOne, long offset) {
        if (!isOne) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    offset,
                    Reason.UNSUPPORTED_VERSION,
                    "the archive is split into several files; join them first");
        }
    }

    private Place place() throws IOException {
        ZipStruct struct = ZipStruct.END;
        int tailSize = (int) Math.min(fileSize, struct.size() + COMMENT_SIZE_MAX);
        long tailOffset = fileSize - tailSize;
        MemorySegment tail = bytes(tailOffset, tailSize);
        for (int start = tailSize - struct.size(); start >= 0; start--) {
            boolean isEnd = struct.get(tail, start, "signature") == ZipFormat.END_SIGNATURE
                    && struct.get(tail, start, "commentSize") == tailSize - struct.size() - start;
            if (isEnd) {
                return place(tail, start, tailOffset + start);
            }
        }
        throw corrupt(
                fileSize,
                Reason.TRUNCATED,
                "the zip archive has no end record: it is truncated, or other bytes follow it; write or copy it again");
    }

    private Place place(MemorySegment tail, int start, long endOffset) throws IOException {
        ZipStruct struct = ZipStruct.END;
        Place place = place64(tail, start, endOffset);
        if (place == null) {
            boolean isOne = struct.get(tail, start, "disk") == 0
                    && struct.get(tail, start, "directoryDisk") == 0
                    && struct.get(tail, start, "diskCount") == struct.get(tail, start, "count");
            requireOneDisk(isOne, endOffset);
            place = new Place(
                    struct.get(tail, start, "count"),
                    struct.get(tail, start, "directoryOffset"),
                    struct.get(tail, start, "directoryBytes"),
                    endOffset);
        }
        if (place.offset < 0 || place.byteCount != place.limit - place.offset) {
            throw corrupt(
                    endOffset,
                    Reason.OUT_OF_RANGE,
                    "the end record says that the directory has " + place.byteCount + " bytes from byte " + place.offset
                            + ", which do not end where the end record begins");
        }
        if (place.byteCount < 0 || place.byteCount > ZipFormat.DIRECTORY_BYTES_MAX) {
            throw corrupt(
                    endOffset,
                    Reason.OUT_OF_RANGE,
                    "a directory of " + place.byteCount + " bytes is too large: the limit is "
                            + ZipFormat.DIRECTORY_BYTES_MAX + " bytes");
        }
        return place;
    }

    /// The location given by the 64-bit end record, or null when there is none.
    private Place place64(MemorySegment tail, int start, long endOffset) throws IOException {
        ZipStruct struct = ZipStruct.LOCATOR;
        long locatorOffset = endOffset - struct.size();
        if (locatorOffset < ZipStruct.END_64.size()) {
            return null;
        }
        MemorySegment locator = bytes(locatorOffset, struct.size());
        if (struct.get(locator, 0, "signature") != ZipFormat.LOCATOR_SIGNATURE) {
            return null;
        }
        requireOneDisk(struct.get(locator, 0, "disk") == 0 && struct.get(locator, 0, "disks") <= 1, locatorOffset);
        long offset = struct.get(locator, 0, "endOffset");
        if (offset < 0 || offset > locatorOffset - ZipStruct.END_64.size()) {
            throw corrupt(
                    locatorOffset,
                    Reason.OUT_OF_RANGE,
                    "the locator points to byte " + offset + ", which is not before the locator");
        }
        return place64(tail, start, offset, locatorOffset);
    }

    private Place place64(MemorySegment tail, int start, long offset, long locatorOffset) throws IOException {
        ZipStruct struct = ZipStruct.END_64;
        MemorySegment end = bytes(offset, struct.size());
        // The signature and the size field itself are not counted.
        long recordSize = locatorOffset - offset - Integer.BYTES - Long.BYTES;
        if (struct.get(end, 0, "signature") != ZipFormat.END_64_SIGNATURE
                || struct.get(end, 0, "recordSize") != recordSize) {
            throw corrupt(offset, Reason.BAD_HEADER, "there is no 64-bit end record where the locator points");
        }
        boolean isOne = struct.get(end, 0, "disk") == 0
                && struct.get(end, 0, "directoryDisk") == 0
                && struct.get(end, 0, "diskCount") == struct.get(end, 0, "count");
        requireOneDisk(isOne, offset);
        for (String field : List.of("count", "directoryBytes", "directoryOffset")) {
            boolean isSame = ZipStruct.END.isElsewhere(tail, start, field)
                    || ZipStruct.END.get(tail, start, field) == struct.get(end, 0, field);
            if (!isSame) {
                throw corrupt(offset, Reason.BAD_HEADER, field + " differs in the two end records");
            }
        }
        return new Place(
                struct.get(end, 0, "count"),
                struct.get(end, 0, "directoryOffset"),
                struct.get(end, 0, "directoryBytes"),
                offset);
    }

    private List<ZipEntry> entries(Place place) throws IOException {
        MemorySegment directory = bytes(place.offset, Math.toIntExact(place.byteCount));
        List<ZipEntry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        long start = 0;
        while (start < place.byteCount) {
            ZipEntry entry = entry(directory, start, place);
            if (!names.add(entry.name())) {
                throw corrupt(
                        entry.entryOffset(),
                        Reason.BAD_NAMES,
                        "two members have the name " + ZipMembers.shown(entry.name()));
            }
            entries.add(entry);
            start += entrySize(directory, start);
        }
        if (entries.size() != place.count) {
            throw corrupt(
                    place.limit,
                    Reason.COUNT_MISMATCH,
                    "the directory has " + entries.size() + " entries, but the end record says " + place.count);
        }
        return entries;
    }

    private static long entrySize(MemorySegment directory, long start) {
        ZipStruct struct = ZipStruct.ENTRY;
        return struct.size()
                + struct.get(directory, start, "nameSize")
                + struct.get(directory, start, "extraSize")
                + struct.get(directory, start, "commentSize");
    }

    private ZipEntry entry(MemorySegment directory, long start, Place place) {
        ZipStruct struct = ZipStruct.ENTRY;
        long offset = place.offset + start;
        if (start + struct.size() > place.byteCount
                || struct.get(directory, start, "signature") != ZipFormat.ENTRY_SIGNATURE
                || start + entrySize(directory, start) > place.byteCount) {
            throw corrupt(offset, Reason.BAD_HEADER, "this is not a complete entry of the directory");
        }
        requireOneDisk(struct.get(directory, start, "disk") == 0, offset);
        long nameSize = struct.get(directory, start, "nameSize");
        long extraSize = struct.get(directory, start, "extraSize");
        MemorySegment extra = directory.asSlice(start + struct.size() + nameSize, extraSize);
        ZipExtra numbers = new ZipExtra(file, offset, extra);
        int flags = (int) struct.get(directory, start, "flags");
        // The 64-bit numbers are stored in this order.
        long size = numbers.value(struct, directory, start, "memberSize");
        long storedSize = numbers.value(struct, directory, start, "storedSize");
        long localOffset = numbers.value(struct, directory, start, "localOffset");
        return new ZipEntry(
                name(directory.asSlice(start + struct.size(), nameSize), flags, offset),
                flags,
                (int) struct.get(directory, start, "method"),
                struct.get(directory, start, "crc"),
                storedSize,
                size,
                localOffset,
                offset,
                place.offset);
    }

    private String name(MemorySegment encoded, int flags, long offset) {
        try {
            ByteBuffer bytes = encoded.asByteBuffer();
            return ZipEntry.charset(flags).newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw corrupt(offset, Reason.NOT_UTF8, "the name of the member is not UTF-8");
        }
    }

    /// Sorts the entries by the offsets of their members, and checks that no member overlaps the next one.
    private List<ZipEntry> inOrder(List<ZipEntry> entries, long directoryOffset) {
        List<ZipEntry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparingLong(ZipEntry::localOffset));
        for (int i = 0; i < sorted.size(); i++) {
            ZipEntry entry = sorted.get(i);
            boolean isLast = i + 1 == sorted.size();
            long limit = isLast ? directoryOffset : sorted.get(i + 1).localOffset();
            if (entry.localOffset() > directoryOffset || entry.storedSize() > directoryOffset) {
                throw corrupt(
                        entry.entryOffset(),
                        Reason.OUT_OF_RANGE,
                        "the member " + ZipMembers.shown(entry.name()) + " is not before the directory");
            }
            long headSize = ZipStruct.LOCAL.size() + entry.encodedName().length;
            if (limit - entry.localOffset() - headSize < entry.storedSize()) {
                throw corrupt(
                        entry.entryOffset(),
                        isLast ? Reason.OUT_OF_RANGE : Reason.OVERLAP,
                        "the member " + ZipMembers.shown(entry.name()) + " overlaps the "
                                + (isLast ? "directory" : "next member"));
            }
            sorted.set(i, entry.withLimit(limit));
        }
        return List.copyOf(sorted);
    }
}
