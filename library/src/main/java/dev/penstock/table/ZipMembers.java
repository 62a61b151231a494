// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.FilePart;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// Finds the arrays of an `.npz` file, which is a zip archive of `.npy` files. [ZipFormat] is the specification.
///
/// Only stored members can be opened, because their bytes are not compressed. Member names are never used as file
/// names.
final class ZipMembers {
    /// The extension of arrays in an archive. NumPy omits it from their names.
    private static final String ENDING = ".npy";

    private static final int NAMES_SHOWN_MAX = 20;

    private final Location file;
    private final Disk.Readable archive;

    private ZipMembers(Location file, Disk.Readable archive) {
        this.file = file;
        this.archive = archive;
    }

    /// Whether a file begins like a zip archive, possibly an empty one.
    static boolean isArchive(Storage storage, Location file) throws IOException {
        byte[] start = new byte[Integer.BYTES];
        MemorySegment target = MemorySegment.ofArray(start);
        try (Disk.Readable readable = storage.open(file)) {
            if (readable.read(0, target) < start.length) {
                return false;
            }
        }
        int signature = target.get(Layouts.U32, 0);
        return signature == ZipFormat.LOCAL_SIGNATURE || signature == ZipFormat.END_SIGNATURE;
    }

    /// Finds an array in an archive.
    ///
    /// @param name the name of the array, with or without `.npy`; null for the only array of the archive
    /// @throws DatasetException    when the archive is damaged, has no array, or several and no name was given, or
    ///                             the array is compressed or encrypted
    /// @throws NoSuchFileException when no array has the name
    static ZipMember find(Storage storage, Location file, String name) throws IOException {
        try (Disk.Readable archive = storage.open(file)) {
            ZipMembers members = new ZipMembers(file, archive);
            List<ZipEntry> entries = ZipDirectory.read(file, archive);
            return members.open(name == null ? members.only(entries) : members.named(entries, name));
        }
    }

    /// The names of the arrays of an archive, in its order, without the extension.
    ///
    /// @throws DatasetException when the archive is damaged
    static List<String> names(Storage storage, Location file) throws IOException {
        try (Disk.Readable archive = storage.open(file)) {
            return arrays(ZipDirectory.read(file, archive)).stream()
                    .map(ZipMembers::name)
                    .toList();
        }
    }

    private static String name(ZipEntry array) {
        return array.name().substring(0, array.name().length() - ENDING.length());
    }

    private ZipEntry only(List<ZipEntry> entries) {
        List<ZipEntry> arrays = arrays(entries);
        if (arrays.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    file,
                    "this is a zip archive without NumPy arrays: no member has a name that ends in .npy; copy its files"
                            + " into a dataset with `penstock convert`");
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
        String there = arrays.isEmpty() ? "it has none" : "its arrays are " + names(arrays, ", ");
        throw new NoSuchFileException(file + "/" + name, null, "the archive has no array of this name; " + there);
    }

    private static List<ZipEntry> arrays(List<ZipEntry> entries) {
        return entries.stream().filter(entry -> entry.name().endsWith(ENDING)).toList();
    }

    private static String names(List<ZipEntry> arrays, String separator) {
        String names = arrays.stream()
                .limit(NAMES_SHOWN_MAX)
                .map(ZipMembers::name)
                .map(ZipMembers::shown)
                .collect(Collectors.joining(separator));
        long others = arrays.size() - NAMES_SHOWN_MAX;
        return others > 0 ? names + separator + others + " others" : names;
    }

    /// Quotes names with control characters, which must not reach a terminal.
    static String shown(String name) {
        return Literal.shown(name.chars().anyMatch(Character::isISOControl) ? Literal.quote(name) : name);
    }

    /// Reads the local header. The bytes of the member begin after its name and extra fields.
    private ZipMember open(ZipEntry entry) throws IOException {
        requireReadable(entry);
        ZipStruct struct = ZipStruct.LOCAL;
        MemorySegment local = ZipDirectory.bytes(file, archive, entry.localOffset(), struct.size());
        if (struct.get(local, 0, "signature") != ZipFormat.LOCAL_SIGNATURE) {
            throw damaged(entry, "there is no local header where the directory points");
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
                    "the member " + shown(entry.name()) + " overlaps the next member or the directory");
        }
        MemorySegment names = ZipDirectory.bytes(file, archive, nameOffset, nameSize + extraSize);
        byte[] name = Arrays.copyOf((byte[]) names.heapBase().orElseThrow(), nameSize);
        long flags = struct.get(local, 0, "flags");
        if (!Arrays.equals(name, entry.encodedName())
                || (flags & ZipFormat.ENCRYPTED) != 0
                || struct.get(local, 0, "method") != entry.method()) {
            throw damaged(entry, "name, encryption or method of the local header differ from the directory");
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
                    "the member " + shown(entry.name())
                            + " is compressed, but only uncompressed members can be read; write"
                            + " the archive with np.savez instead of np.savez_compressed");
        }
        if (entry.storedSize() != entry.size()) {
            throw damaged(
                    entry,
                    "it is not compressed, but its stored size is " + entry.storedSize() + " and its size "
                            + entry.size() + " bytes");
        }
    }

    private void requireSameSizes(ZipEntry entry, MemorySegment local, MemorySegment extra) {
        ZipStruct struct = ZipStruct.LOCAL;
        ZipExtra numbers = new ZipExtra(file, entry.localOffset(), extra);
        long size = numbers.value(struct, local, 0, "memberSize");
        long storedSize = numbers.value(struct, local, 0, "storedSize");
        if (size != entry.size() || storedSize != entry.storedSize() || struct.get(local, 0, "crc") != entry.crc()) {
            throw damaged(entry, "sizes or checksum of the local header differ from the directory");
        }
    }

    private DatasetException damaged(ZipEntry entry, String what) {
        return new DatasetException.Corrupt(
                file, entry.localOffset(), Reason.BAD_HEADER, "the member " + shown(entry.name()) + ": " + what);
    }

    /// The name of a member in messages. It is the archive's name if the system cannot form a path from the
    /// member's name.
    private Location shownLocation(ZipEntry entry) {
        try {
            return file.resolve(shown(entry.name()));
        } catch (InvalidPathException e) {
            return file;
        }
    }
}
