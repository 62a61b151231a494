// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;

/// Reads the values of one stored column in one row group, a number of rows at a time.
///
/// After [#read], [#values] has the values that are there, and the levels tell where they belong.
final class LeafReader {
    private static final int HEADER_SIZE = 1 << 12;
    private static final int HEADER_SIZE_MAX = 1 << 26;

    /// Behind the bytes of a page, so that numbers are read with one access.
    static final int PADDING = 16;

    final ParquetLeaf leaf;
    private final Location location;
    private final int group;
    private final ColumnMetaData meta;
    private final ChunkBytes bytes;
    private final Pages pages;
    private final ThriftBytes thrift = new ThriftBytes();

    /// The entries of the last read: a level each, or no array where all levels are the largest.
    int[] repetitions = new int[0];

    int[] definitions = new int[0];
    int entryCount;
    final Dense values = new Dense();

    private Dense dictionary;
    private byte[] page = new byte[PADDING];
    private int[] pageRepetitions = new int[0];
    private int[] pageDefinitions = new int[0];
    private int pageCount;
    private int pagePosition;
    private ValueDecoder decoder;
    private long entriesLeft;
    private long row;

    LeafReader(ParquetLeaf leaf, Location location, int group, ColumnMetaData meta, ChunkBytes bytes, Pages pages) {
        this.leaf = leaf;
        this.location = location;
        this.group = group;
        this.meta = meta;
        this.bytes = bytes;
        this.pages = pages;
        this.entriesLeft = meta.getNum_values();
    }

    /// Reads the next rows.
    ///
    /// @throws DatasetException.Corrupt when the bytes are not valid; the message names row group, rows and column
    void read(int rowCount) throws IOException {
        try {
            entryCount = 0;
            values.clear();
            if (leaf.maxRepetition() == 0) {
                readFlat(rowCount);
            } else {
                readNested(rowCount);
            }
            leaf.conversion().apply(leaf, values);
            row += rowCount;
        } catch (Damage e) {
            throw corrupt(e.reason, e.getMessage(), rowCount);
        } catch (IndexOutOfBoundsException | ArithmeticException | NullPointerException e) {
            throw corrupt(Reason.OUT_OF_RANGE, "it has a number that is not valid", rowCount);
        }
    }

    private DatasetException.Corrupt corrupt(Reason reason, String what, int rowCount) {
        return new DatasetException.Corrupt(
                location,
                bytes.offset(),
                reason,
                "row group " + group + ", rows " + row + " to " + (row + rowCount) + ", column " + leaf.name() + ": "
                        + what);
    }

    private void readFlat(int rowCount) throws IOException {
        for (int left = rowCount; left > 0; ) {
            requirePage();
            int count = Math.min(left, pageCount - pagePosition);
            take(count);
            left -= count;
        }
    }

    /// Reads up to the next entry that begins a row.
    private void readNested(int rowCount) throws IOException {
        int rows = 0;
        while (entriesLeft > 0 || pagePosition < pageCount) {
            requirePage();
            int end = pagePosition;
            while (end < pageCount && (pageRepetitions[end] != 0 || rows < rowCount)) {
                rows += pageRepetitions[end] == 0 ? 1 : 0;
                end++;
            }
            if (end == pagePosition) {
                break;
            }
            take(end - pagePosition);
        }
        Damage.require(rows == rowCount, Reason.COUNT_MISMATCH, "it has fewer rows than the row group");
        Damage.require(
                rowCount == 0 || repetitions[0] == 0, Reason.COUNT_MISMATCH, "its first entry does not begin a row");
    }

    /// Takes entries of the page, with their values.
    private void take(int count) {
        int present = count;
        if (leaf.maxDefinition() > 0) {
            definitions = room(definitions, entryCount + count);
            System.arraycopy(pageDefinitions, pagePosition, definitions, entryCount, count);
            present = 0;
            for (int i = pagePosition; i < pagePosition + count; i++) {
                present += pageDefinitions[i] == leaf.maxDefinition() ? 1 : 0;
            }
        }
        if (leaf.maxRepetition() > 0) {
            repetitions = room(repetitions, entryCount + count);
            System.arraycopy(pageRepetitions, pagePosition, repetitions, entryCount, count);
        }
        if (present > 0) {
            decoder.read(present, values);
        }
        pagePosition += count;
        entryCount += count;
    }

    private static int[] room(int[] levels, int count) {
        return count <= levels.length ? levels : Arrays.copyOf(levels, Math.max(count, levels.length * 2));
    }

    /// Has entries of a page, unless there are no more.
    private void requirePage() throws IOException {
        while (pagePosition == pageCount) {
            Damage.require(entriesLeft > 0, Reason.COUNT_MISMATCH, "it has fewer values than the row group has rows");
            nextPage();
        }
    }

    private void nextPage() throws IOException {
        PageHeader header = header();
        int stored = header.getCompressed_page_size();
        int size = header.getUncompressed_page_size();
        Pages.requireSize(stored, size);
        Damage.require(stored <= bytes.left(), Reason.TRUNCATED, "a page ends behind the column");
        bytes.fill(stored);
        requireChecksum(header, stored);
        if (header.getType() == PageType.DICTIONARY_PAGE) {
            readDictionary(header.getDictionary_page_header(), stored, size);
        } else if (header.getType() == PageType.DATA_PAGE) {
            readPage(header.getData_page_header(), stored, size);
        } else if (header.getType() == PageType.DATA_PAGE_V2) {
            readPage(header.getData_page_header_v2(), stored, size);
        } else {
            Damage.require(header.getType() != null, Reason.UNKNOWN_KIND, "a page is of an unknown kind");
        }
        bytes.skip(stored);
    }

    /// Reads a header, whose size is not known before.
    private PageHeader header() throws IOException {
        for (int size = HEADER_SIZE; ; size *= 8) {
            bytes.fill(size);
            int available = (int) Math.min(bytes.limit - bytes.start, bytes.left());
            thrift.set(bytes.window, bytes.start, bytes.start + available);
            PageHeader header = new PageHeader();
            try {
                header.read(new TCompactProtocol(thrift, available, available));
                bytes.skip(thrift.position() - bytes.start);
                return header;
            } catch (TException | RuntimeException e) {
                if (available == bytes.left() || size >= HEADER_SIZE_MAX) {
                    throw new Damage(Reason.BAD_HEADER, "the header of a page is damaged: " + e.getMessage());
                }
            }
        }
    }

    private void requireChecksum(PageHeader header, int stored) {
        if (header.isSetCrc()) {
            CRC32 crc = new CRC32();
            crc.update(bytes.window, bytes.start, stored);
            Damage.require((int) crc.getValue() == header.getCrc(), Reason.CHECKSUM, "the checksum of a page differs");
        }
    }

    private Pages.Codec codec() {
        CompressionCodec codec = meta.getCodec();
        return switch (codec) {
            case UNCOMPRESSED -> Pages.Codec.NONE;
            case SNAPPY -> Pages.Codec.SNAPPY;
            case GZIP -> Pages.Codec.GZIP;
            case BROTLI -> Pages.Codec.BROTLI;
            case LZ4 -> Pages.Codec.LZ4_HADOOP;
            case LZ4_RAW -> Pages.Codec.LZ4;
            case ZSTD -> Pages.Codec.ZSTD;
            default -> throw new Damage(Reason.UNSUPPORTED_TYPE, "its pages are compressed with " + codec);
        };
    }

    private void readDictionary(DictionaryPageHeader header, int stored, int size) {
        byte[] raw = new byte[size + PADDING];
        pages.unpack(codec(), bytes.window, bytes.start, stored, raw, size);
        int count = header.getNum_values();
        Damage.require(count >= 0 && count <= size, Reason.OUT_OF_RANGE, "a dictionary of " + count + " values");
        dictionary = new Dense();
        dictionary.clear();
        ValueDecoder.of(Encoding.PLAIN, leaf, raw, 0, size, count, null).read(count, dictionary);
    }

    private void begin(int count, int size) {
        Damage.require(
                count >= 0 && count <= entriesLeft, Reason.COUNT_MISMATCH, "a page has " + count + " values, too many");
        entriesLeft -= count;
        pageCount = count;
        pagePosition = 0;
        if (page.length < size + PADDING) {
            page = new byte[size + PADDING];
        }
        if (leaf.maxRepetition() > 0 && pageRepetitions.length < count) {
            pageRepetitions = new int[count];
        }
        if (leaf.maxDefinition() > 0 && pageDefinitions.length < count) {
            pageDefinitions = new int[count];
        }
    }

    private void readPage(DataPageHeader header, int stored, int size) {
        begin(header.getNum_values(), size);
        pages.unpack(codec(), bytes.window, bytes.start, stored, page, size);
        int at = levels(header.getRepetition_level_encoding(), leaf.maxRepetition(), 0, size, pageRepetitions);
        at = levels(header.getDefinition_level_encoding(), leaf.maxDefinition(), at, size, pageDefinitions);
        decode(header.getEncoding(), at, size);
    }

    /// Levels behind their size.
    private int levels(Encoding encoding, int max, int start, int limit, int[] target) {
        if (max == 0) {
            return start;
        }
        Damage.require(encoding == Encoding.RLE, Reason.UNSUPPORTED_TYPE, "its levels have the encoding " + encoding);
        Damage.require(start + Integer.BYTES <= limit, Reason.TRUNCATED, "its levels are cut off");
        int size = (int) Dense.INT.get(page, start);
        int from = start + Integer.BYTES;
        Damage.require(size >= 0 && size <= limit - from, Reason.TRUNCATED, "its levels are cut off");
        levels(page, from, size, max, target);
        return from + size;
    }

    private void levels(byte[] from, int start, int size, int max, int[] target) {
        int width = Integer.SIZE - Integer.numberOfLeadingZeros(max);
        new RunDecoder(from, start, start + size, width).read(target, 0, pageCount);
        int largest = 0;
        for (int i = 0; i < pageCount; i++) {
            largest = Math.max(largest, target[i]);
        }
        Damage.require(largest <= max, Reason.OUT_OF_RANGE, "a level is larger than " + max);
    }

    /// A page of version 2 has its levels before the compressed values.
    private void readPage(DataPageHeaderV2 header, int stored, int size) {
        begin(header.getNum_values(), size);
        int repetitionSize = header.getRepetition_levels_byte_length();
        int definitionSize = header.getDefinition_levels_byte_length();
        long levelSize = (long) repetitionSize + definitionSize;
        boolean isValid = repetitionSize >= 0 && definitionSize >= 0 && levelSize <= stored && levelSize <= size;
        Damage.require(isValid, Reason.TRUNCATED, "its levels are cut off");
        byte[] levels = bytes.copy(bytes.start, (int) levelSize, PADDING);
        if (leaf.maxRepetition() > 0) {
            levels(levels, 0, repetitionSize, leaf.maxRepetition(), pageRepetitions);
        }
        if (leaf.maxDefinition() > 0) {
            levels(levels, repetitionSize, definitionSize, leaf.maxDefinition(), pageDefinitions);
        }
        boolean isCompressed = !header.isSetIs_compressed() || header.isIs_compressed();
        int valueSize = size - (int) levelSize;
        int storedSize = stored - (int) levelSize;
        Pages.Codec codec = isCompressed && storedSize > 0 ? codec() : Pages.Codec.NONE;
        pages.unpack(codec, bytes.window, bytes.start + (int) levelSize, storedSize, page, valueSize);
        decode(header.getEncoding(), 0, valueSize);
    }

    private void decode(Encoding encoding, int start, int limit) {
        int count = pageCount;
        if (leaf.maxDefinition() > 0) {
            count = 0;
            for (int i = 0; i < pageCount; i++) {
                count += pageDefinitions[i] == leaf.maxDefinition() ? 1 : 0;
            }
        }
        boolean isEmpty = count == 0;
        decoder = isEmpty ? null : ValueDecoder.of(encoding, leaf, page, start, limit, count, dictionary);
    }
}
