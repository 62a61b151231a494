// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static dev.penstock.loaderx.LoaderxFormat.ENTRY_05;
import static dev.penstock.loaderx.LoaderxFormat.ENTRY_SIZE;
import static dev.penstock.loaderx.LoaderxFormat.HEADER_05;
import static dev.penstock.loaderx.LoaderxFormat.META;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The layout of releases 0.5.0 to 0.5.4.
final class LoaderxLayout05 implements LoaderxLayout {
    private static final String LATER = "loaderx 1.0.0";

    private final LoaderxFiles files;
    private final LoaderxSchema schema;
    private final long count;
    private final int tailChunk;
    private final long tailOffset;

    /// Reads the header, whose magic number and version have been checked.
    LoaderxLayout05(LoaderxFiles files) throws IOException {
        this.files = files;
        if (files.has("dict.zr") || files.has("schema.msgpack")) {
            throw LoaderxReleases.refused(files, LATER);
        }
        MemorySegment header = files.read(META, 0, HEADER_05.byteSize());
        tailChunk = Layouts.u16(header, Layouts.offset(HEADER_05, "tail_chunk"));
        tailOffset = Layouts.u32(header, Layouts.offset(HEADER_05, "tail_offset"));
        count = Layouts.u32(header, Layouts.offset(HEADER_05, "length"));
        LoaderxReleases.requireEntries(files, HEADER_05.byteSize(), count);
        schema = files.has(LoaderxFormat.SCHEMA) ? schema(files) : LoaderxSchema.BYTES;
    }

    private static LoaderxSchema schema(LoaderxFiles files) throws IOException {
        String name = LoaderxFormat.SCHEMA;
        if (files.size(name) > LoaderxFormat.SCHEMA_SIZE_MAX) {
            throw new DatasetException.Corrupt(files.path(name), 0, Reason.BAD_HEADER, "the schema is too large");
        }
        return LoaderxSchema.ofJson(files.path(name), 0, files.read(name, 0, files.size(name)), "shape");
    }

    @Override
    public String release() {
        return "loaderx 0.5";
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public LoaderxSchema schema() {
        return schema;
    }

    @Override
    public String file(int number) {
        return number + ".zr";
    }

    @Override
    public LoaderxPlace place(long index) throws IOException {
        long at = HEADER_05.byteSize() + index * ENTRY_SIZE;
        MemorySegment entry = files.read(META, at, ENTRY_SIZE);
        int chunk = Layouts.u16(entry, Layouts.offset(ENTRY_05, "chunk_id"));
        if (chunk > tailChunk) {
            throw new DatasetException.Corrupt(
                    files.path(META),
                    at,
                    Reason.OUT_OF_RANGE,
                    "record " + index + " is in file " + chunk + ", but the last file is " + tailChunk);
        }
        int codec = Byte.toUnsignedInt(entry.get(Layouts.U8, Layouts.offset(ENTRY_05, "codec")));
        long limit = chunk == tailChunk ? tailOffset : Long.MAX_VALUE;
        LoaderxPlace place = new LoaderxPlace(
                chunk,
                Layouts.u32(entry, Layouts.offset(ENTRY_05, "offset")),
                Layouts.u32(entry, Layouts.offset(ENTRY_05, "phys_length")),
                Math.min(limit, files.size(file(chunk))),
                Layouts.u32(entry, Layouts.offset(ENTRY_05, "logic_length")),
                compression(codec, at));
        requireDeflate(place);
        return place;
    }

    private StoreCompression compression(int codec, long at) {
        return switch (codec) {
            case 0 -> StoreCompression.RAW;
            case 1 -> StoreCompression.FLATE;
            case 2 -> throw LoaderxReleases.refused(files, LATER);
            default ->
                throw new DatasetException.Corrupt(
                        files.path(META), at, Reason.BAD_TAG, "codec " + codec + " is not 0 or 1");
        };
    }

    /// Codec 1 became Zstandard while magic number and version stayed the same.
    private void requireDeflate(LoaderxPlace place) throws IOException {
        boolean isLongEnough =
                place.storedSize() >= Integer.BYTES && place.offset() + place.storedSize() <= place.storedLimit();
        if (place.compression() == StoreCompression.FLATE && isLongEnough) {
            int start = files.read(file(place.file()), place.offset(), Integer.BYTES)
                    .get(Layouts.U32, 0);
            if (start == LoaderxFormat.ZSTD_MAGIC) {
                throw LoaderxReleases.refused(files, LATER);
            }
        }
    }
}
