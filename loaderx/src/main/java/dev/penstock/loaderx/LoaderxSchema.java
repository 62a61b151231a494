// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.file.Json;
import dev.penstock.store.StoreFormat;
import dev.penstock.store.StoreTypes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The type of the records of a store.
///
/// @param type           the type of an element, or null when records are bytes
/// @param shape          the shape of every record, or null
/// @param dimensionCount the number of dimensions stored before every record; 0 when there are none
/// @param shapeWidth     the size of such a number in the release that wrote the schema
record LoaderxSchema(ElementType type, List<Long> shape, int dimensionCount, int shapeWidth) {
    static final LoaderxSchema BYTES = new LoaderxSchema(null, null, 0, Long.BYTES);

    /// The limit of NumPy.
    private static final int DIMENSION_COUNT_MAX = 64;

    /// @param shapeKey the key of the shape of every record
    static LoaderxSchema ofJson(Path file, long offset, MemorySegment text, String shapeKey) {
        try {
            return of(Json.parse(text.toArray(ValueLayout.JAVA_BYTE)), shapeKey, Integer.BYTES);
        } catch (IllegalArgumentException e) {
            throw bad(file, offset, e);
        }
    }

    static LoaderxSchema ofMsgPack(Path file, long offset, MemorySegment bytes) {
        try {
            return of(MsgPack.parse(bytes.toArray(ValueLayout.JAVA_BYTE)), "item_shape", Long.BYTES);
        } catch (IllegalArgumentException e) {
            throw bad(file, offset, e);
        }
    }

    private static DatasetException bad(Path file, long offset, IllegalArgumentException e) {
        return new DatasetException.Corrupt(
                file, offset, Reason.BAD_HEADER, "the schema cannot be used: " + e.getMessage(), e);
    }

    private static LoaderxSchema of(Object value, String shapeKey, int shapeWidth) {
        if (!(value instanceof Map<?, ?> values) || !(values.get("dtype") instanceof String dtype)) {
            throw new IllegalArgumentException("it has no dtype");
        }
        ElementType type = StoreTypes.find(dtype);
        if (values.get(shapeKey) instanceof List<?> lengths) {
            return new LoaderxSchema(type, shape(lengths, type), 0, shapeWidth);
        }
        if (values.get("ndim") instanceof Long count && count >= 1 && count <= DIMENSION_COUNT_MAX) {
            return new LoaderxSchema(type, null, count.intValue(), shapeWidth);
        }
        throw new IllegalArgumentException("it has neither " + shapeKey + " nor an ndim from 1 to 64");
    }

    private static List<Long> shape(List<?> lengths, ElementType type) {
        List<Long> shape = new ArrayList<>();
        long size = type == null ? 1 : type.size();
        for (Object length : lengths) {
            if (!(length instanceof Long number) || number < 1 || number > StoreFormat.VALUE_SIZE_MAX / size) {
                throw new IllegalArgumentException("its shape " + lengths + " is not a valid shape of a record");
            }
            size *= number;
            shape.add(number);
        }
        return shape;
    }

    /// The size of a record, or -1 when records differ or are plain bytes.
    long recordSize() {
        if (shape == null || type == null) {
            return -1;
        }
        return shape.stream().reduce(type.size(), Math::multiplyExact);
    }
}
