// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FilePart;
import dev.penstock.memory.Layouts;
import dev.penstock.memory.RangeStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// Finds the arrays of an `.npz` file, which is a zip archive of `.npy` files. [ZipFormat] is the specification.
///
/// Only stored members are opened, because their bytes lie in the archive as they are. Names are never used as
/// names of files.
final class ZipMembers {
    /// What the names of arrays end in; NumPy leaves it out.
    private static final String ENDING = ".npy";

    private static final int NAMES_SHOWN_MAX = 20;

    private final Location file;
    private final Disk.Readable archive;

    private ZipMembers(Location file, Disk.Readable archive) {
        this.file = file;
        this.archive = archive;
    }

    /// Whether a file begins like a zip archive, perhaps one without members.
    static boolean isArchive(RangeStore store, Location file) throws IOException {
        byte[] start = new byte[Integer.BYTES];
        MemorySegment target = MemorySegment.ofArray(start);
        try (Disk.Readable readable = store.open(file)) {
            if (readable.read(0, target) < start.length) {
                return false;
            }
        }
        int signature = target.get(Layouts.U32, 0);
        return signature == ZipFormat.LOCAL_SIGNATURE || signature == ZipFormat.END_SIGNATURE;
    }

    /// Finds an array in an archive.
    ///
    /// @param name its name, with or without `.npy`; null for the only array of the archive
    /// @throws DatasetException    when the archive is damaged, has no array or several and no name was given, or
    ///                             the array is compressed or encrypted
    /// @throws NoSuchFileException when no array has the name
    static ZipMember find(RangeStore store, Location file, String name) throws IOException {
        try (Disk.Readable archive = store.open(file)) {
            ZipMembers members = new ZipMembers(file, archive);
            List<ZipEntry> entries = ZipDirectory.read(file, archive);
            return members.open(name == null ? members.only(entries) : members.named(entries, name));
        }
    }

    private ZipEntry only(List<ZipEntry> entries) {
        List<ZipEntry> arrays = arrays(entries);
        if (arrays.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    file, "this is a zip archive that holds no NumPy arrays: no member has a name that ends in .npy");
        }
        if (arrays.size() > 1) {
            throw new DatasetException.WrongFormat(
                    file,
                    "the archive holds several arrays; open " + file.resolve("NAME") + ", with NAME "
                            + names(arrays, " or "));
        }
        return arrays.getFirst();
    }

    private ZipEntry named(List<ZipEntry> entries, String name) throws NoSuchFileException {
        for (String spelling : List.of(name, name + ENDING)) {
            for (ZipEntry entry : entries) {
                if (entry.name().equals(spelling)) {
                    return entry;
                }
            }
        }
        List<ZipEntry> arrays = arrays(entries);
        String there = arrays.isEmpty() ? "it holds none" : "there are: " + names(arrays, ", ");
        throw new NoSuchFileException(file + "/" + name, null, "the archive holds no array of this name; " + there);
    }

    private static List<ZipEntry> arrays(List<ZipEntry> entries) {
        return entries.stream().filter(entry -> entry.name().endsWith(ENDING)).toList();
    }

    private static String names(List<ZipEntry> arrays, String separator) {
        String names = arrays.stream()
                .limit(NAMES_SHOWN_MAX)
                .map(entry -> entry.name().substring(0, entry.name().length() - ENDING.length()))
                .map(ZipMembers::shown)
                .collect(Collectors.joining(separator));
        long others = arrays.size() - NAMES_SHOWN_MAX;
        return others > 0 ? names + separator + others + " others" : names;
    }

    /// Control characters in a name must not reach a terminal.
    static String shown(String name) {
        return Literal.shown(name.chars().anyMatch(Character::isISOControl) ? Literal.quote(name) : name);
    }

    /// Reads the local header, whose name and extra fields decide where the bytes of the member begin.
    private ZipMember open(ZipEntry entry) throws IOException {
        requireReadable(entry);
        ZipStruct struct = ZipStruct.LOCAL;
        MemorySegment local = ZipDirectory.bytes(file, archive, entry.localOffset(), struct.size());
        if (struct.get(local, 0, "signature") != ZipFormat.LOCAL_SIGNATURE) {
            throw damaged(entry, "no local header is where the directory says");
        }
        int nameSize = (int) struct.get(local, 0, "nameSize");
        int extraSize = (int) struct.get(local, 0, "extraSize");
        long nameOffset = entry.localOffset() + struct.size();
        long dataOffset = nameOffset + nameSize + extraSize;
        if (dataOffset > entry.limit() - entry.size()) {
            throw new DatasetException.Corrupt(
                    file,
                    entry.localOffset(),
                    Reason.OVERLAP,
                    "the member " + shown(entry.name()) + " reaches into the one behind it, or the directory");
        }
        MemorySegment names = ZipDirectory.bytes(file, archive, nameOffset, nameSize + extraSize);
        byte[] name = Arrays.copyOf((byte[]) names.heapBase().orElseThrow(), nameSize);
        long flags = struct.get(local, 0, "flags");
        if (!Arrays.equals(name, entry.encodedName())
                || (flags & ZipFormat.ENCRYPTED) != 0
                || struct.get(local, 0, "method") != entry.method()) {
            throw damaged(entry, "name, encryption or method of the local header are not those of the directory");
        }
        if (((flags | entry.flags()) & ZipFormat.SIZES_FOLLOW) == 0) {
            requireSameSizes(entry, local, names.asSlice(nameSize));
        }
        return new ZipMember(
                entry.name(), new FilePart(shownLocation(entry), file, dataOffset, entry.size()), entry.crc());
    }

    private void requireReadable(ZipEntry entry) {
        if ((entry.flags() & ZipFormat.ENCRYPTED) != 0) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    entry.entryOffset(),
                    Reason.UNKNOWN_FLAGS,
                    "the member " + shown(entry.name()) + " is encrypted; decrypt the archive first");
        }
        if (entry.method() != 0) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    entry.entryOffset(),
                    Reason.UNSUPPORTED_TYPE,
                    "the member " + shown(entry.name()) + " is compressed, and only stored members are read; write"
                            + " the archive with np.savez instead of np.savez_compressed");
        }
        if (entry.storedSize() != entry.size()) {
            throw damaged(
                    entry,
                    "it is stored in " + entry.storedSize() + " bytes and has " + entry.size()
                            + ", which differ although it is not compressed");
        }
    }

    private void requireSameSizes(ZipEntry entry, MemorySegment local, MemorySegment extra) {
        ZipStruct struct = ZipStruct.LOCAL;
        ZipExtra numbers = new ZipExtra(file, entry.localOffset(), extra);
        long size = numbers.value(struct, local, 0, "memberSize");
        long storedSize = numbers.value(struct, local, 0, "storedSize");
        if (size != entry.size() || storedSize != entry.storedSize() || struct.get(local, 0, "crc") != entry.crc()) {
            throw damaged(entry, "sizes or checksum of the local header are not those of the directory");
        }
    }

    private DatasetException damaged(ZipEntry entry, String what) {
        return new DatasetException.Corrupt(
                file, entry.localOffset(), Reason.BAD_HEADER, "the member " + shown(entry.name()) + ": " + what);
    }

    /// The name of a member in messages: that of the archive alone where the system has no such path.
    private Location shownLocation(ZipEntry entry) {
        try {
            return file.resolve(shown(entry.name()));
        } catch (InvalidPathException e) {
            return file;
        }
    }
}
