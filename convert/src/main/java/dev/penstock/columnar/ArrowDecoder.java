// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Reads rows of the columns of one record batch.
///
/// Buffers and nodes belong to columns by their order in a walk through the schema, so where each column begins is
/// worked out first.
final class ArrowDecoder {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int VIEW_SIZE = 16;
    private static final int SHORT_VIEW_MAX = 12;

    private final ArrowBuffers buffers;
    private final Map<Long, ColumnValues> dictionaries;

    ArrowDecoder(ArrowBuffers buffers, Map<Long, ColumnValues> dictionaries) {
        this.buffers = buffers;
        this.dictionaries = dictionaries;
    }

    /// Where the nodes and buffers of a column begin.
    record Place(ArrowType type, int node, int buffer, int view, List<Place> children) {}

    /// The places of columns, in order.
    static List<Place> places(List<ArrowType> columns, ArrowBuffers buffers) {
        int[] next = new int[3];
        List<Place> places = new ArrayList<>();
        for (ArrowType column : columns) {
            places.add(place(column, next, buffers));
        }
        return places;
    }

    private static Place place(ArrowType type, int[] next, ArrowBuffers buffers) {
        int node = next[0]++;
        int buffer = next[1];
        int view = next[2];
        List<Place> children = new ArrayList<>();
        if (type.isLookedUp()) {
            next[1] += 2;
            return new Place(type, node, buffer, view, children);
        }
        next[1] += switch (type.layout()) {
            case NOTHING -> 0;
            case FIXED_LIST, STRUCT -> 1;
            case OFFSETS -> 3;
            case VIEWS -> 2 + buffers.viewCount(next[2]++);
            default -> 2;
        };
        for (ArrowType child : type.children()) {
            children.add(place(child, next, buffers));
        }
        return new Place(type, node, buffer, view, children);
    }

    /// Reads rows of a column, or of what is nested in it.
    ///
    /// @param from the first row
    ColumnValues read(Place place, long from, int count) throws IOException {
        ArrowType type = place.type();
        boolean isInside = from >= 0 && count >= 0 && from + count <= buffers.length(place.node());
        Damage.require(isInside, Reason.COUNT_MISMATCH, "a column has fewer values than the batch");
        byte[] missing =
                type.layout() == ArrowType.Layout.NOTHING && !type.isLookedUp() ? null : missing(place, from, count);
        if (type.isLookedUp()) {
            return lookUp(place, from, count, missing);
        }
        return switch (type.layout()) {
            case NOTHING -> nothing(count);
            case BITS -> ColumnValues.fixed(count, missing, bits(place.buffer() + 1, from, count));
            case FIXED -> {
                long size = type.size();
                yield ColumnValues.fixed(count, missing, buffers.part(place.buffer() + 1, from * size, count * size));
            }
            case DECIMAL -> ColumnValues.fixed(count, missing, decimals(place, from, count));
            case OFFSETS -> texts(place, from, count, missing);
            case VIEWS -> views(place, from, count, missing);
            case LIST -> list(place, from, count, missing);
            case FIXED_LIST -> {
                long length = type.size();
                Damage.require(count * length <= Integer.MAX_VALUE, Reason.SIZE_OVERFLOW, "its lists are too large");
                ColumnValues items = read(place.children().getFirst(), from * length, (int) (count * length));
                yield ColumnValues.list(count, missing, null, items);
            }
            case STRUCT -> {
                List<ColumnValues> members = new ArrayList<>();
                for (Place child : place.children()) {
                    members.add(read(child, from, count));
                }
                yield new ColumnValues(count, missing, null, null, members);
            }
        };
    }

    /// The rows in which a struct is missing, or null.
    byte[] gone(Place place, long from, int count) throws IOException {
        return missing(place, from, count);
    }

    private static ColumnValues nothing(int count) {
        byte[] missing = new byte[count];
        Arrays.fill(missing, (byte) 1);
        return ColumnValues.variable(count, missing, MemorySegment.ofArray(new byte[0]), new long[count + 1]);
    }

    /// The values that are missing. Bits tell which are there.
    private byte[] missing(Place place, long from, int count) throws IOException {
        if (!buffers.hasNulls(place.node()) || buffers.size(place.buffer()) == 0) {
            return null;
        }
        byte[] there = bits(place.buffer(), from, count).toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < count; i++) {
            there[i] ^= 1;
        }
        return there;
    }

    private MemorySegment bits(int buffer, long from, int count) throws IOException {
        byte[] target = new byte[count];
        if (count > 0) {
            MemorySegment packed = buffers.part(buffer, from / 8, (from + count + 7) / 8 - from / 8);
            int shift = (int) (from % 8);
            for (int i = 0; i < count; i++) {
                int bit = shift + i;
                target[i] = (byte) (packed.get(ValueLayout.JAVA_BYTE, bit >> 3) >> (bit & 7) & 1);
            }
        }
        return MemorySegment.ofArray(target);
    }

    /// Offsets, which must not descend.
    private long[] offsets(Place place, long from, int count) throws IOException {
        int size = place.type().size();
        long[] offsets = new long[count + 1];
        if (count == 0) {
            return offsets;
        }
        MemorySegment stored = buffers.part(place.buffer() + 1, from * size, (count + 1L) * size);
        long before = 0;
        for (int i = 0; i <= count; i++) {
            offsets[i] = size == Integer.BYTES ? stored.get(INT, i * 4L) : stored.get(LONG, i * 8L);
            Damage.require(offsets[i] >= before, Reason.UNSORTED, "its offsets are not in order");
            before = offsets[i];
        }
        return offsets;
    }

    /// Offsets that begin with 0.
    private static long[] relative(long[] offsets) {
        long[] relative = new long[offsets.length];
        for (int i = 0; i < offsets.length; i++) {
            relative[i] = offsets[i] - offsets[0];
        }
        return relative;
    }

    private ColumnValues texts(Place place, long from, int count, byte[] missing) throws IOException {
        long[] offsets = offsets(place, from, count);
        MemorySegment data = buffers.part(place.buffer() + 2, offsets[0], offsets[count] - offsets[0]);
        return ColumnValues.variable(count, missing, data, relative(offsets));
    }

    private ColumnValues list(Place place, long from, int count, byte[] missing) throws IOException {
        long[] offsets = offsets(place, from, count);
        long size = offsets[count] - offsets[0];
        Damage.require(size <= Integer.MAX_VALUE, Reason.SIZE_OVERFLOW, "its lists are too large");
        ColumnValues items = read(place.children().getFirst(), offsets[0], (int) size);
        boolean isMap = place.type().column().kind() == ColumnType.Kind.MAP;
        // The entries of a map are structs of keys and values.
        List<ColumnValues> children = isMap ? items.children() : List.of(items);
        return new ColumnValues(count, missing, null, relative(offsets), children);
    }

    /// Texts or bytes as views: the size, then up to 12 bytes, or the place in a buffer.
    private ColumnValues views(Place place, long from, int count, byte[] missing) throws IOException {
        MemorySegment views = buffers.part(place.buffer() + 1, from * VIEW_SIZE, (long) count * VIEW_SIZE);
        Dense values = new Dense();
        values.clear();
        values.reserveOffsets(count);
        byte[] piece = new byte[SHORT_VIEW_MAX];
        for (int i = 0; i < count; i++) {
            long at = (long) i * VIEW_SIZE;
            int size = missing != null && missing[i] != 0 ? 0 : views.get(INT, at);
            Damage.require(size >= 0, Reason.OUT_OF_RANGE, "a value of " + size + " bytes");
            if (size <= SHORT_VIEW_MAX) {
                MemorySegment.copy(views, ValueLayout.JAVA_BYTE, at + Integer.BYTES, piece, 0, SHORT_VIEW_MAX);
                values.add(piece, 0, size);
                continue;
            }
            int buffer = views.get(INT, at + 8);
            boolean isValid = buffer >= 0 && buffer < buffers.viewCount(place.view());
            Damage.require(isValid, Reason.OUT_OF_RANGE, "a view of buffer " + buffer);
            MemorySegment data = buffers.part(place.buffer() + 2 + buffer, views.get(INT, at + 12), size);
            values.add(data.toArray(ValueLayout.JAVA_BYTE), 0, size);
        }
        return ColumnValues.variable(count, missing, MemorySegment.ofArray(values.bytes), values.offsets);
    }

    private MemorySegment decimals(Place place, long from, int count) throws IOException {
        int size = place.type().size();
        MemorySegment stored = buffers.part(place.buffer() + 1, from * size, (long) count * size);
        byte[] target = new byte[Math.multiplyExact(count, Long.BYTES)];
        byte[] one = new byte[size];
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < size; j++) {
                one[size - 1 - j] = stored.get(ValueLayout.JAVA_BYTE, (long) i * size + j);
            }
            double number =
                    LeafConversion.real(new BigInteger(one), place.type().scale());
            Dense.LONG.set(target, i * Long.BYTES, Double.doubleToRawLongBits(number));
        }
        return MemorySegment.ofArray(target);
    }

    /// Values by their number in a dictionary.
    private ColumnValues lookUp(Place place, long from, int count, byte[] missing) throws IOException {
        ColumnValues words = dictionaries.get(place.type().dictionary());
        boolean isThere = words != null || count == 0;
        Damage.require(isThere, Reason.BAD_HEADER, "its dictionary is not there");
        ElementType index = place.type().index();
        MemorySegment stored = buffers.part(place.buffer() + 1, from * index.size(), count * index.size());
        int[] numbers = new int[count];
        byte[] gone = missing;
        for (int i = 0; i < count; i++) {
            long number = missing != null && missing[i] != 0 ? -1 : Elements.toLong(index, stored, i * index.size());
            boolean isValid = number < words.count() && (number >= 0 || missing != null && missing[i] != 0);
            Damage.require(isValid, Reason.OUT_OF_RANGE, "the number " + number + " is not in its dictionary");
            if (number >= 0 && words.isMissing((int) number)) {
                gone = gone == null ? new byte[count] : gone;
                gone[i] = 1;
                number = -1;
            }
            numbers[i] = (int) number;
        }
        return Dictionaries.take(place.type().column(), words, numbers, gone);
    }
}
