// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreFormat;
import dev.penstock.store.ValueUnpacker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A reader for stores of loaderx 0.5, or 2.3.3 or later: records by index, as values for the fields of a store of
/// ours.
///
/// The field of a store becomes one field. If records of two or more dimensions have different shapes, a second
/// field has their shapes.
///
/// **Ownership.** Owns the open files; values are copies.
///
/// **Threads.** One thread at a time.
public final class LoaderxStore implements AutoCloseable {
    private final LoaderxFiles files;
    private final LoaderxLayout layout;
    private final ValueUnpacker unpacker = new ValueUnpacker();

    private LoaderxStore(LoaderxFiles files, LoaderxLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Whether a folder looks like such a store, of any release.
    public static boolean isStore(Disk disk, Path folder) throws IOException {
        return disk.exists(folder.resolve(LoaderxFormat.META));
    }

    /// Opens a store.
    ///
    /// @throws DatasetException when the folder is not such a store, was written by a release that is not
    ///                          supported, or is damaged
    public static LoaderxStore open(Path folder, Disk disk) throws IOException {
        if (disk.exists(folder) && !disk.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        LoaderxFiles files = new LoaderxFiles(disk, folder);
        try {
            return new LoaderxStore(files, LoaderxReleases.layout(files));
        } catch (Throwable e) {
            files.close();
            throw e;
        }
    }

    /// The releases that write such a store, for messages.
    public String release() {
        return layout.release();
    }

    /// The number of records.
    public long count() {
        return layout.count();
    }

    /// The fields of a store of ours for the records.
    ///
    /// @param name        the name of the field with the values; a field with shapes has the suffix `_shape`
    /// @param compression the compression of the values
    public List<StoreField> fields(String name, StoreCompression compression) {
        LoaderxSchema schema = layout.schema();
        String dtype = schema.type() == null ? null : schema.type().toString();
        List<StoreField> fields = new ArrayList<>();
        fields.add(new StoreField(name, dtype, dtype == null ? null : schema.shape(), compression));
        if (schema.dimensionCount() > 1) {
            List<Long> shape = List.of((long) schema.dimensionCount());
            fields.add(new StoreField(name + "_shape", "i64", shape, StoreCompression.RAW));
        }
        return fields;
    }

    /// The values of a record, in the order of [#fields].
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws DatasetException          when the record is damaged
    public List<byte[]> get(long index) throws IOException {
        Objects.checkIndex(index, count());
        LoaderxPlace place = layout.place(index);
        byte[] record = expanded(index, place);
        LoaderxSchema schema = layout.schema();
        if (schema.dimensionCount() > 0) {
            return split(index, place, record);
        }
        if (schema.recordSize() >= 0 && record.length != schema.recordSize()) {
            throw bad(
                    place,
                    "record " + index + " has " + record.length + " bytes, but the schema says " + schema.recordSize());
        }
        return List.of(record);
    }

    private DatasetException bad(LoaderxPlace place, String what) {
        return new DatasetException.Corrupt(
                files.path(layout.file(place.file())), place.offset(), Reason.SHARD_MISMATCH, what);
    }

    private byte[] expanded(long index, LoaderxPlace place) throws IOException {
        Path file = files.path(layout.file(place.file()));
        boolean isInside = place.offset() >= 0
                && place.storedSize() <= place.storedLimit()
                && place.offset() <= place.storedLimit() - place.storedSize();
        if (!isInside) {
            throw new DatasetException.Corrupt(
                    file,
                    place.offset(),
                    Reason.OUT_OF_RANGE,
                    "record " + index + " has " + place.storedSize() + " stored bytes, which end after the payload");
        }
        if (place.size() > StoreFormat.VALUE_SIZE_MAX || place.storedSize() > StoreFormat.VALUE_SIZE_MAX) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    place.offset(),
                    Reason.SIZE_OVERFLOW,
                    "record " + index + " has " + place.size() + " bytes, but a value has at most "
                            + StoreFormat.VALUE_SIZE_MAX);
        }
        boolean isPossible = place.size() <= place.compression().rawSizeMax(place.storedSize());
        byte[] record = isPossible ? new byte[(int) place.size()] : null;
        MemorySegment stored = files.read(layout.file(place.file()), place.offset(), place.storedSize());
        if (!isPossible || !unpacker.unpack(place.compression(), stored, MemorySegment.ofArray(record))) {
            throw new DatasetException.Corrupt(
                    file,
                    place.offset(),
                    Reason.BAD_COMPRESSION,
                    "record " + index + " does not decompress to " + place.size() + " bytes");
        }
        return record;
    }

    /// Splits the shape off a record. A record fits only one of the two possible widths of a number.
    private List<byte[]> split(long index, LoaderxPlace place, byte[] record) {
        LoaderxSchema schema = layout.schema();
        int other = schema.shapeWidth() == Integer.BYTES ? Long.BYTES : Integer.BYTES;
        for (int width : new int[] {schema.shapeWidth(), other}) {
            List<byte[]> parts = split(record, width);
            if (parts != null) {
                return parts;
            }
        }
        throw bad(place, "record " + index + " has " + record.length + " bytes, which are not its shape and elements");
    }

    /// @return null when the record does not fit shapes of this width
    private List<byte[]> split(byte[] record, int width) {
        LoaderxSchema schema = layout.schema();
        int start = schema.dimensionCount() * width;
        if (record.length < start) {
            return null;
        }
        MemorySegment bytes = MemorySegment.ofArray(record);
        MemorySegment shape = MemorySegment.ofArray(new byte[schema.dimensionCount() * Long.BYTES]);
        long elementCount = 1;
        for (int i = 0; i < schema.dimensionCount(); i++) {
            long length = width == Integer.BYTES
                    ? Layouts.u32(bytes, (long) i * width)
                    : bytes.get(Layouts.U64, (long) i * width);
            if (length < 0 || (length > 0 && elementCount > StoreFormat.VALUE_SIZE_MAX / length)) {
                return null;
            }
            elementCount *= length;
            shape.set(Layouts.U64, (long) i * Long.BYTES, length);
        }
        // The size of elements of an unknown type is not known, so the width of the release is used.
        boolean fits = schema.type() == null || elementCount * schema.type().size() == record.length - start;
        if (!fits) {
            return null;
        }
        byte[] values = bytes.asSlice(start).toArray(ValueLayout.JAVA_BYTE);
        return schema.dimensionCount() == 1 ? List.of(values) : List.of(values, shape.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public void close() throws IOException {
        unpacker.close();
        files.close();
    }
}
