// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/// The values of one attribute for all groups.
///
/// **Threads.** Immutable, so safe for any number of threads.
abstract sealed class Attribute {
    private final Field field;
    private final BitSet missing;

    private Attribute(Field field, BitSet missing) {
        this.field = field;
        this.missing = missing;
    }

    Field field() {
        return field;
    }

    /// Whether the value of a group is missing. For group -1 (no group) it is always missing.
    boolean isMissing(int group) {
        return group < 0 || missing.get(group);
    }

    /// Fills a column with the values of these groups; -1 stands for no group.
    void copy(int[] groups, int count, Column target) {
        copyValues(groups, count, target);
        MemorySegment mask = null;
        for (int i = 0; i < count; i++) {
            if (isMissing(groups[i])) {
                mask = mask == null ? target.reserveMissing(count) : mask;
                mask.set(Layouts.U8, i, (byte) 1);
            }
        }
    }

    abstract void copyValues(int[] groups, int count, Column target);

    /// Integer values.
    static final class Whole extends Attribute {
        private final long[] values;

        Whole(Field field, long[] values, BitSet missing) {
            super(field, missing);
            this.values = values;
        }

        long value(int group) {
            return values[group];
        }

        @Override
        void copyValues(int[] groups, int count, Column target) {
            MemorySegment memory = target.reserveValues((long) count * Long.BYTES);
            for (int i = 0; i < count; i++) {
                memory.set(Layouts.U64, (long) i * Long.BYTES, isMissing(groups[i]) ? 0 : values[groups[i]]);
            }
        }
    }

    /// Floating-point values.
    static final class Real extends Attribute {
        private final double[] values;

        Real(Field field, double[] values, BitSet missing) {
            super(field, missing);
            this.values = values;
        }

        double value(int group) {
            return values[group];
        }

        @Override
        void copyValues(int[] groups, int count, Column target) {
            MemorySegment memory = target.reserveValues((long) count * Double.BYTES);
            for (int i = 0; i < count; i++) {
                double value = isMissing(groups[i]) ? 0 : values[groups[i]];
                memory.set(Layouts.U64, (long) i * Double.BYTES, Double.doubleToRawLongBits(value));
            }
        }
    }

    /// Text or bytes.
    static final class Text extends Attribute {
        private final byte[] bytes;
        /// The offset of the value of each group, followed by the end of the last one.
        private final int[] offsets;

        Text(Field field, byte[] bytes, int[] offsets, BitSet missing) {
            super(field, missing);
            this.bytes = bytes;
            this.offsets = offsets;
        }

        MemorySegment value(int group) {
            return MemorySegment.ofArray(bytes).asSlice(offsets[group], offsets[group + 1] - offsets[group]);
        }

        @Override
        void copyValues(int[] groups, int count, Column target) {
            MemorySegment starts = target.reserveOffsets(count);
            long total = 0;
            for (int i = 0; i < count; i++) {
                starts.set(Layouts.U64, (long) i * Long.BYTES, total);
                total += groups[i] < 0 ? 0 : offsets[groups[i] + 1] - offsets[groups[i]];
            }
            starts.set(Layouts.U64, (long) count * Long.BYTES, total);
            MemorySegment memory = target.reserveValues(total);
            long filled = 0;
            for (int i = 0; i < count; i++) {
                if (groups[i] >= 0) {
                    MemorySegment value = value(groups[i]);
                    MemorySegment.copy(value, 0, memory, filled, value.byteSize());
                    filled += value.byteSize();
                }
            }
        }
    }
}
