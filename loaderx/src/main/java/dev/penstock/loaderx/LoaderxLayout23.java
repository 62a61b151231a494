// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static dev.penstock.loaderx.LoaderxFormat.ENTRY_23;
import static dev.penstock.loaderx.LoaderxFormat.ENTRY_SIZE;
import static dev.penstock.loaderx.LoaderxFormat.HEADER_23;
import static dev.penstock.loaderx.LoaderxFormat.META;
import static dev.penstock.loaderx.LoaderxFormat.PAGE_SIZE;
import static dev.penstock.loaderx.LoaderxFormat.SCHEMA_OFFSET;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The layout of release 2.3.3 and later ones.
final class LoaderxLayout23 implements LoaderxLayout {
    private final LoaderxFiles files;
    private final LoaderxSchema schema;
    private final long count;
    private final StoreCompression compression;
    private final long[] ends;

    LoaderxLayout23(LoaderxFiles files) throws IOException {
        this.files = files;
        MemorySegment page = files.read(META, 0, PAGE_SIZE);
        count = page.get(Layouts.U64, Layouts.offset(HEADER_23, "length"));
        int schemaSize = Layouts.u16(page, Layouts.offset(HEADER_23, "schema_length"));
        int shardCount = Byte.toUnsignedInt(page.get(Layouts.U8, Layouts.offset(HEADER_23, "data_shards")));
        int codec = Byte.toUnsignedInt(page.get(Layouts.U8, Layouts.offset(HEADER_23, "codec")));
        boolean isZero = page.get(Layouts.U32, Layouts.offset(HEADER_23, "zero")) == 0;
        if (shardCount == 0 || !isZero || schemaSize > PAGE_SIZE - SCHEMA_OFFSET) {
            throw bad(
                    0,
                    Reason.BAD_HEADER,
                    "the header has " + shardCount + " data files and a schema of " + schemaSize + " bytes");
        }
        LoaderxReleases.requireEntries(files, PAGE_SIZE, count);
        compression = compression(codec);
        ends = ends(page, shardCount);
        schema = schema(page.asSlice(SCHEMA_OFFSET, schemaSize));
    }

    private DatasetException bad(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(files.path(META), offset, reason, what);
    }

    private StoreCompression compression(int codec) {
        return switch (codec) {
            case 0 -> StoreCompression.RAW;
            case 1 -> StoreCompression.ZSTD;
            case 2 ->
                throw new DatasetException.UnsupportedVersion(
                        files.path(META),
                        Layouts.offset(HEADER_23, "codec"),
                        Reason.UNKNOWN_FLAGS,
                        "the records are compressed with a Zstandard dictionary, which is not supported;"
                                + " use loaderx to copy the store to one with the codec zstd");
            default ->
                throw bad(Layouts.offset(HEADER_23, "codec"), Reason.BAD_TAG, "codec " + codec + " is not 0, 1 or 2");
        };
    }

    private long[] ends(MemorySegment page, int shardCount) throws IOException {
        long[] ends = new long[shardCount];
        for (int i = 0; i < shardCount; i++) {
            long at = LoaderxFormat.ENDS_OFFSET + 8L * i;
            ends[i] = page.get(Layouts.U64, at);
            long size = files.size(file(i));
            if (ends[i] < 0 || ends[i] > size) {
                throw new DatasetException.Corrupt(
                        files.path(file(i)),
                        size,
                        Reason.TRUNCATED,
                        "the file has " + size + " bytes, but its payload ends at " + Long.toUnsignedString(ends[i])
                                + "; copy it again");
            }
        }
        return ends;
    }

    private LoaderxSchema schema(MemorySegment text) {
        boolean isJson = text.byteSize() > 0 && text.get(Layouts.U8, 0) == '{';
        return isJson
                ? LoaderxSchema.ofJson(files.path(META), SCHEMA_OFFSET, text, "item_shape")
                : LoaderxSchema.ofMsgPack(files.path(META), SCHEMA_OFFSET, text);
    }

    @Override
    public String release() {
        return schema.shapeWidth() == Integer.BYTES ? "loaderx 2.8.18 or later" : "loaderx 2.3.3 to 2.8.12";
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
        return "data_" + number + ".zr";
    }

    @Override
    public LoaderxPlace place(long index) throws IOException {
        MemorySegment entry = files.read(META, PAGE_SIZE + index * ENTRY_SIZE, ENTRY_SIZE);
        int shard = (int) (index % ends.length);
        return new LoaderxPlace(
                shard,
                entry.get(Layouts.U64, Layouts.offset(ENTRY_23, "offset")),
                Layouts.u32(entry, Layouts.offset(ENTRY_23, "phys_length")),
                ends[shard],
                Layouts.u32(entry, Layouts.offset(ENTRY_23, "logic_length")),
                compression);
    }
}
