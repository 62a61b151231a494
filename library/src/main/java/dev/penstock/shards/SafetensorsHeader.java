// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The header of a `.safetensors` file: eight bytes with the length of a JSON text, and the text, which describes
/// the tensors in the rest of the file.
///
/// The text is untrusted input. It has at most 100 MB, which is the limit of the safetensors library. It has no
/// duplicate keys, and the tensors cover the rest of the file without gaps, overlaps or extra bytes.
///
/// @param dataOffset the offset of the data in the file
/// @param tensors    the tensors in the order of their names
record SafetensorsHeader(long dataOffset, List<Tensor> tensors) {
    private static final long LENGTH_SIZE = 8;
    private static final long TEXT_SIZE_MAX = 100_000_000;
    private static final String METADATA = "__metadata__";
    private static final int DIMENSIONS_MAX = 64;

    /// The number of bits of an element of each type.
    private static final Map<String, Integer> BITS = Map.ofEntries(
            Map.entry("BOOL", 8),
            Map.entry("F4", 4),
            Map.entry("F6_E2M3", 6),
            Map.entry("F6_E3M2", 6),
            Map.entry("U8", 8),
            Map.entry("I8", 8),
            Map.entry("F8_E5M2", 8),
            Map.entry("F8_E4M3", 8),
            Map.entry("F8_E8M0", 8),
            Map.entry("I16", 16),
            Map.entry("U16", 16),
            Map.entry("F16", 16),
            Map.entry("BF16", 16),
            Map.entry("I32", 32),
            Map.entry("U32", 32),
            Map.entry("F32", 32),
            Map.entry("C64", 64),
            Map.entry("F64", 64),
            Map.entry("I64", 64),
            Map.entry("U64", 64));

    /// One tensor.
    ///
    /// @param dtype the type as in the file
    /// @param start the offset from the start of the data
    record Tensor(String name, String dtype, List<Long> shape, long start, long limit) {
        /// The type of the values, or null when shards do not support it.
        ElementType type() {
            return switch (dtype) {
                case "F16" -> ElementType.F16;
                case "BF16" -> ElementType.BF16;
                case "F32" -> ElementType.F32;
                case "F64" -> ElementType.F64;
                default -> null;
            };
        }
    }

    /// Reads the header of a file.
    ///
    /// @throws DatasetException when the header is damaged, or does not match the file
    static SafetensorsHeader read(OpenFile file) throws IOException {
        Location path = file.location();
        if (file.size() < LENGTH_SIZE) {
            throw corrupt(path, file.size(), Reason.TRUNCATED, "the file ends inside the length of its header");
        }
        MemorySegment head = MemorySegment.ofArray(new byte[(int) LENGTH_SIZE]);
        file.read(0, head);
        long length = head.get(Layouts.U64, 0);
        if (length < 0 || length > TEXT_SIZE_MAX) {
            throw corrupt(
                    path,
                    0,
                    Reason.BAD_HEADER,
                    "the header announces " + Long.toUnsignedString(length) + " bytes; the limit is " + TEXT_SIZE_MAX
                            + " bytes");
        }
        if (length > file.size() - LENGTH_SIZE) {
            throw corrupt(path, 0, Reason.TRUNCATED, "the header of " + length + " bytes is longer than the file");
        }
        byte[] text = new byte[(int) length];
        file.read(LENGTH_SIZE, MemorySegment.ofArray(text));
        try {
            List<Tensor> tensors = parse(text);
            requireCover(tensors, file.size() - LENGTH_SIZE - length);
            return new SafetensorsHeader(LENGTH_SIZE + length, tensors);
        } catch (CharacterCodingException e) {
            throw damaged(path, "it is not UTF-8", e);
        } catch (ArithmeticException e) {
            throw damaged(path, "a tensor has more bytes than fit in 63 bits", e);
        } catch (IllegalArgumentException e) {
            throw damaged(path, e.getMessage(), e);
        }
    }

    private static DatasetException damaged(Location path, String what, Exception cause) {
        return new DatasetException.Corrupt(
                path, LENGTH_SIZE, Reason.BAD_HEADER, "the header is damaged: " + what, cause);
    }

    private static DatasetException corrupt(Location path, long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(path, offset, reason, what);
    }

    private static List<Tensor> parse(byte[] text) throws CharacterCodingException {
        // The JSON parser guesses encodings, but only UTF-8 is allowed.
        String decoded = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(text))
                .toString();
        require(decoded.indexOf('\0') < 0, "it contains a zero byte");
        Object parsed = Json.parseRecord(text);
        require(parsed instanceof Map, "it is not a JSON object");
        Map<?, ?> values = (Map<?, ?>) parsed;
        List<Tensor> tensors = new ArrayList<>();
        values.forEach((key, value) -> {
            if (key.equals(METADATA)) {
                requireMetadata(value);
            } else {
                require(value instanceof Map, "tensor " + key + " is not an object");
                tensors.add(tensor((String) key, (Map<?, ?>) value));
            }
        });
        tensors.sort(Comparator.comparing(Tensor::name));
        return List.copyOf(tensors);
    }

    private static void requireMetadata(Object value) {
        require(value == null || value instanceof Map, "its metadata is not an object");
        if (value instanceof Map<?, ?> metadata) {
            require(metadata.values().stream().allMatch(String.class::isInstance), "a metadata value is not a string");
        }
    }

    private static Tensor tensor(String name, Map<?, ?> values) {
        require(values.get("dtype") instanceof String, "tensor " + name + " has no dtype");
        String dtype = (String) values.get("dtype");
        require(BITS.containsKey(dtype), "tensor " + name + " has the unknown dtype " + dtype);
        List<Long> shape = numbers(name, "shape", values.get("shape"));
        List<Long> offsets = numbers(name, "data_offsets", values.get("data_offsets"));
        require(shape.size() <= DIMENSIONS_MAX, "tensor " + name + " has too many dimensions");
        require(
                offsets.size() == 2 && offsets.get(0) <= offsets.get(1),
                "tensor " + name + " has invalid data_offsets");
        long bits = BITS.get(dtype);
        for (long length : shape) {
            bits = Math.multiplyExact(bits, length);
        }
        require(
                bits % Byte.SIZE == 0 && bits / Byte.SIZE == offsets.get(1) - offsets.get(0),
                "the data_offsets of tensor " + name + " do not match its shape");
        return new Tensor(name, dtype, shape, offsets.get(0), offsets.get(1));
    }

    private static List<Long> numbers(String name, String key, Object value) {
        require(value instanceof List, "tensor " + name + " has no " + key);
        List<Long> numbers = new ArrayList<>();
        for (Object item : (List<?>) value) {
            require(item instanceof Long number && number >= 0, "the " + key + " of tensor " + name + " is invalid");
            numbers.add((Long) item);
        }
        return List.copyOf(numbers);
    }

    /// Tensors must be contiguous from the start of the data to its end.
    private static void requireCover(List<Tensor> tensors, long dataBytes) {
        List<Tensor> inOrder = new ArrayList<>(tensors);
        inOrder.sort(Comparator.comparingLong(Tensor::start).thenComparingLong(Tensor::limit));
        long end = 0;
        for (Tensor tensor : inOrder) {
            require(tensor.start() == end, "tensor " + tensor.name() + " overlaps another tensor or follows a gap");
            end = tensor.limit();
        }
        require(end == dataBytes, "the tensors have " + end + " bytes, but the file has " + dataBytes);
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalArgumentException(what);
        }
    }

    /// Creates a header for one tensor, padded so that the data begins at a multiple of eight bytes.
    static byte[] write(String name, ElementType type, long rowCount, long width) {
        String dtype = type.name();
        long byteCount = rowCount * width * type.size();
        String text = Json.text(Map.of(
                name,
                new TreeMap<>(Map.of(
                        "dtype", dtype, "shape", List.of(rowCount, width), "data_offsets", List.of(0L, byteCount)))));
        byte[] json = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[(int) (LENGTH_SIZE + Layouts.alignUp(json.length, LENGTH_SIZE))];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        segment.asSlice(LENGTH_SIZE).fill((byte) ' ');
        segment.set(Layouts.U64, 0, bytes.length - LENGTH_SIZE);
        MemorySegment.copy(json, 0, segment, ValueLayout.JAVA_BYTE, LENGTH_SIZE, json.length);
        return bytes;
    }
}
