// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.upstream;

import static dev.penstock.store.upstream.UpstreamFormat.ENTRY_05;
import static dev.penstock.store.upstream.UpstreamFormat.ENTRY_SIZE;
import static dev.penstock.store.upstream.UpstreamFormat.HEADER_05;
import static dev.penstock.store.upstream.UpstreamFormat.META;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The layout of releases 0.5.0 to 0.5.4.
final class UpstreamLayout05 implements UpstreamLayout {
    private static final String LATER = "loaderx 1.0.0";

    private final UpstreamFiles files;
    private final UpstreamSchema schema;
    private final long count;
    private final int tailChunk;
    private final long tailOffset;

    /// Reads the header, whose magic number and version have been checked.
    UpstreamLayout05(UpstreamFiles files) throws IOException {
        this.files = files;
        if (files.has("dict.zr") || files.has("schema.msgpack")) {
            throw UpstreamReleases.refused(files, LATER);
        }
        MemorySegment header = files.read(META, 0, HEADER_05.byteSize());
        tailChunk = Layouts.u16(header, Layouts.offset(HEADER_05, "tail_chunk"));
        tailOffset = Layouts.u32(header, Layouts.offset(HEADER_05, "tail_offset"));
        count = Layouts.u32(header, Layouts.offset(HEADER_05, "length"));
        UpstreamReleases.requireEntries(files, HEADER_05.byteSize(), count);
        schema = files.has(UpstreamFormat.SCHEMA) ? schema(files) : UpstreamSchema.BYTES;
    }

    private static UpstreamSchema schema(UpstreamFiles files) throws IOException {
        String name = UpstreamFormat.SCHEMA;
        if (files.size(name) > UpstreamFormat.SCHEMA_SIZE_MAX) {
            throw new DatasetException.Corrupt(files.path(name), 0, Reason.BAD_HEADER, "the schema is too large");
        }
        return UpstreamSchema.ofJson(files.path(name), 0, files.read(name, 0, files.size(name)), "shape");
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
    public UpstreamSchema schema() {
        return schema;
    }

    @Override
    public String file(int number) {
        return number + ".zr";
    }

    @Override
    public UpstreamPlace place(long index) throws IOException {
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
        UpstreamPlace place = new UpstreamPlace(
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
            case 2 -> throw UpstreamReleases.refused(files, LATER);
            default ->
                throw new DatasetException.Corrupt(
                        files.path(META), at, Reason.BAD_TAG, "codec " + codec + " is not 0 or 1");
        };
    }

    /// Codec 1 became Zstandard while magic number and version stayed the same.
    private void requireDeflate(UpstreamPlace place) throws IOException {
        boolean isLongEnough =
                place.storedSize() >= Integer.BYTES && place.offset() + place.storedSize() <= place.storedLimit();
        if (place.compression() == StoreCompression.FLATE && isLongEnough) {
            int start = files.read(file(place.file()), place.offset(), Integer.BYTES)
                    .get(Layouts.U32, 0);
            if (start == UpstreamFormat.ZSTD_MAGIC) {
                throw UpstreamReleases.refused(files, LATER);
            }
        }
    }
}
