// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Values by their number in a dictionary.
final class Dictionaries {
    private Dictionaries() {}

    /// Takes values out of a dictionary.
    ///
    /// @param numbers the number of each value, or -1 for one that is missing
    static ColumnValues take(ColumnType type, ColumnValues words, int[] numbers, byte[] missing) {
        if (type.kind() == ColumnType.Kind.FIXED) {
            int size = (int) type.size();
            byte[] target = new byte[Math.multiplyExact(numbers.length, size)];
            for (int i = 0; i < numbers.length; i++) {
                if (numbers[i] >= 0) {
                    MemorySegment.copy(
                            words.data(), ValueLayout.JAVA_BYTE, (long) numbers[i] * size, target, i * size, size);
                }
            }
            return ColumnValues.fixed(numbers.length, missing, MemorySegment.ofArray(target));
        }
        boolean isText = type.kind() == ColumnType.Kind.TEXT || type.kind() == ColumnType.Kind.BYTES;
        Damage.require(isText, Reason.UNSUPPORTED_TYPE, "a dictionary of lists or structs is not supported");
        long[] offsets = new long[numbers.length + 1];
        for (int i = 0; i < numbers.length; i++) {
            long size = numbers[i] < 0 ? 0 : words.offsets()[numbers[i] + 1] - words.offsets()[numbers[i]];
            offsets[i + 1] = offsets[i] + size;
        }
        long all = offsets[numbers.length];
        Damage.require(all <= Integer.MAX_VALUE - 64, Reason.SIZE_OVERFLOW, "a batch of values is too large");
        byte[] target = new byte[(int) all];
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] >= 0) {
                int size = (int) (offsets[i + 1] - offsets[i]);
                long from = words.offsets()[numbers[i]];
                MemorySegment.copy(words.data(), ValueLayout.JAVA_BYTE, from, target, (int) offsets[i], size);
            }
        }
        return ColumnValues.variable(numbers.length, missing, MemorySegment.ofArray(target), offsets);
    }

    /// A dictionary with more words behind those that it has.
    static ColumnValues joined(ColumnType type, ColumnValues one, ColumnValues other) {
        int count = Math.addExact(one.count(), other.count());
        byte[] missing = null;
        if (one.missing() != null || other.missing() != null) {
            missing = new byte[count];
            for (int i = 0; i < count; i++) {
                boolean isGone = i < one.count() ? one.isMissing(i) : other.isMissing(i - one.count());
                missing[i] = (byte) (isGone ? 1 : 0);
            }
        }
        boolean isFixed = type.kind() == ColumnType.Kind.FIXED;
        boolean isText = type.kind() == ColumnType.Kind.TEXT || type.kind() == ColumnType.Kind.BYTES;
        Damage.require(isFixed || isText, Reason.UNSUPPORTED_TYPE, "a dictionary of lists or structs is not supported");
        long oneSize = isFixed ? one.count() * type.size() : one.offsets()[one.count()];
        long otherSize = isFixed ? other.count() * type.size() : other.offsets()[other.count()];
        byte[] data = new byte[Math.toIntExact(oneSize + otherSize)];
        MemorySegment target = MemorySegment.ofArray(data);
        MemorySegment.copy(one.data(), 0, target, 0, oneSize);
        MemorySegment.copy(other.data(), 0, target, oneSize, otherSize);
        if (isFixed) {
            return ColumnValues.fixed(count, missing, target);
        }
        long[] offsets = new long[count + 1];
        for (int i = 0; i <= count; i++) {
            offsets[i] = i <= one.count() ? one.offsets()[i] : oneSize + other.offsets()[i - one.count()];
        }
        return ColumnValues.variable(count, missing, target, offsets);
    }
}
