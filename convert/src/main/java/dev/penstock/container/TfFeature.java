// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The values of a feature of an example: a list of bytes, of 32-bit floats, or of 64-bit integers. The steps of a
/// feature list follow each other, and [#steps] has how many values each has.
///
/// ## Layout
///
/// `Feature` has one of the fields 1, a `BytesList`, 2, a `FloatList`, and 3, an `Int64List`. Each of these has
/// its values in field 1; numbers may be packed or not.
final class TfFeature {
    /// The kinds of values. A feature without values may have none.
    enum Kind {
        NONE,
        BYTES,
        FLOAT,
        INT64
    }

    private static final int FIRST_CAPACITY = 16;

    private Kind kind = Kind.NONE;
    private ByteBuffer values = ByteBuffer.allocate(0);
    /// The size of each value of bytes.
    private final List<Long> sizes = new ArrayList<>();

    private long count;
    /// The number of values of each step, or null for a plain feature.
    private List<Long> steps;

    static TfFeature of(Proto feature) throws BadMember {
        TfFeature parsed = new TfFeature();
        parsed.add(feature);
        return parsed;
    }

    /// Parses a `FeatureList`, whose steps are in field 1.
    static TfFeature ofList(Proto list) throws BadMember {
        TfFeature parsed = new TfFeature();
        parsed.steps = new ArrayList<>();
        while (list.next()) {
            if (list.is(1, Proto.BYTES)) {
                long before = parsed.count;
                parsed.add(list.message());
                parsed.steps.add(parsed.count - before);
            }
        }
        return parsed;
    }

    private void add(Proto feature) throws BadMember {
        while (feature.next()) {
            Kind found = feature.number() <= 3 ? Kind.values()[feature.number()] : Kind.NONE;
            if (found == Kind.NONE || !feature.is(feature.number(), Proto.BYTES)) {
                continue;
            }
            if (kind != Kind.NONE && kind != found) {
                throw feature.bad("a feature has values of different kinds");
            }
            kind = found;
            addValues(feature.message());
        }
    }

    private void addValues(Proto list) throws BadMember {
        while (list.next()) {
            if (list.number() != 1) {
                continue;
            }
            switch (kind) {
                case BYTES -> addBytes(list);
                case FLOAT -> addFloats(list);
                default -> addIntegers(list);
            }
        }
    }

    private void addBytes(Proto list) throws BadMember {
        require(list, list.is(1, Proto.BYTES));
        reserve(list.size()).put(list.array(), list.start(), list.size());
        sizes.add((long) list.size());
        count++;
    }

    private void addFloats(Proto list) throws BadMember {
        require(list, (list.is(1, Proto.BYTES) || list.is(1, Proto.FIXED_32)) && list.size() % Float.BYTES == 0);
        reserve(list.size()).put(list.array(), list.start(), list.size());
        count += list.size() / Float.BYTES;
    }

    private void addIntegers(Proto list) throws BadMember {
        require(list, list.is(1, Proto.BYTES) || list.is(1, Proto.VARINT));
        Proto numbers = list.value();
        while (!numbers.isAtEnd()) {
            reserve(Long.BYTES).putLong(numbers.varint());
            count++;
        }
    }

    private static void require(Proto list, boolean isValid) throws BadMember {
        if (!isValid) {
            throw list.bad("the values of a feature have the wrong wire type or size");
        }
    }

    private ByteBuffer reserve(int size) {
        if (values.remaining() < size) {
            int capacity = Math.max(values.position() + size, values.position() == 0 ? 0 : values.capacity() * 2);
            capacity = size <= Long.BYTES ? Math.max(capacity, FIRST_CAPACITY) : capacity;
            values = ByteBuffer.wrap(Arrays.copyOf(values.array(), capacity))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .position(values.position());
        }
        return values;
    }

    Kind kind() {
        return kind;
    }

    /// The number of values, in all steps together.
    long count() {
        return count;
    }

    boolean isList() {
        return steps != null;
    }

    /// Whether every step has one value.
    boolean hasOneEach() {
        return steps.stream().allMatch(step -> step == 1);
    }

    /// All values, one after another.
    byte[] values() {
        return values.capacity() == values.position()
                ? values.array()
                : Arrays.copyOf(values.array(), values.position());
    }

    /// The size of each value of bytes.
    byte[] sizes() {
        return Numbers.of(sizes);
    }

    /// The number of values of each step.
    byte[] steps() {
        return Numbers.of(steps);
    }
}
