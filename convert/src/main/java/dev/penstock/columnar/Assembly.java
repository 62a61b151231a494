// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Puts the values of stored columns into the shape that their levels tell.
///
/// An entry of a stored column begins a value of a node if it begins an item of the innermost list around the
/// node.
final class Assembly {
    private final LeafReader[] leaves;

    /// @param leaves the stored columns by their number; null for those that are not read
    Assembly(LeafReader[] leaves) {
        this.leaves = leaves;
    }

    /// The values of a column.
    ColumnValues of(ParquetNode node, int rowCount) {
        ColumnValues values = build(node, null);
        Damage.require(values.count() == rowCount, Reason.COUNT_MISMATCH, "a column has another number of rows");
        return values;
    }

    /// @param list the innermost list around the node, or null
    private ColumnValues build(ParquetNode node, ParquetNode list) {
        LeafReader leaf = leaves[node.first().index()];
        if (node.leaf() != null) {
            return leaf(leaf, list);
        }
        int[] slots = slots(leaf, list);
        byte[] missing = missing(leaf, slots, node.present());
        ParquetNode inner = node.itemPresent() > 0 ? node : list;
        List<ColumnValues> children = new ArrayList<>();
        for (ParquetNode child : node.children()) {
            children.add(build(child, inner));
        }
        long[] offsets = null;
        if (node.itemPresent() > 0) {
            offsets = offsets(leaf, list, node, slots.length);
            for (ColumnValues child : children) {
                Damage.require(
                        child.count() == offsets[slots.length],
                        Reason.COUNT_MISMATCH,
                        "lists of one column have different lengths");
            }
        }
        return new ColumnValues(slots.length, missing, null, offsets, children);
    }

    private static boolean isStart(LeafReader leaf, ParquetNode list, int entry) {
        if (leaf.leaf.maxRepetition() == 0) {
            return true;
        }
        return list == null
                ? leaf.repetitions[entry] == 0
                : leaf.repetitions[entry] <= list.itemRepetition() && leaf.definitions[entry] >= list.itemPresent();
    }

    /// The entries that begin a value.
    private static int[] slots(LeafReader leaf, ParquetNode list) {
        int[] slots = new int[leaf.entryCount];
        int count = 0;
        for (int i = 0; i < slots.length; i++) {
            if (isStart(leaf, list, i)) {
                slots[count++] = i;
            }
        }
        return count == slots.length ? slots : Arrays.copyOf(slots, count);
    }

    private static byte[] missing(LeafReader leaf, int[] slots, int present) {
        byte[] missing = null;
        for (int i = 0; present > 0 && i < slots.length; i++) {
            if (leaf.definitions[slots[i]] < present) {
                missing = missing == null ? new byte[slots.length] : missing;
                missing[i] = 1;
            }
        }
        return missing;
    }

    private static long[] offsets(LeafReader leaf, ParquetNode around, ParquetNode list, int count) {
        long[] offsets = new long[count + 1];
        int slot = 0;
        long items = 0;
        for (int i = 0; i < leaf.entryCount; i++) {
            if (isStart(leaf, around, i)) {
                offsets[slot++] = items;
            }
            items += isStart(leaf, list, i) ? 1 : 0;
        }
        offsets[count] = items;
        return offsets;
    }

    private static ColumnValues leaf(LeafReader leaf, ParquetNode list) {
        int max = leaf.leaf.maxDefinition();
        Dense values = leaf.values;
        if (values.count == leaf.entryCount && leaf.leaf.conversion().kind() != LeafConversion.Kind.NOTHING) {
            return of(leaf, values.count, null);
        }
        int[] slots = slots(leaf, list);
        byte[] missing = missing(leaf, slots, max);
        int there = slots.length;
        for (int i = 0; missing != null && i < slots.length; i++) {
            there -= missing[i];
        }
        Damage.require(there == values.count, Reason.COUNT_MISMATCH, "the levels and the values do not agree");
        spread(leaf, slots.length, missing);
        return of(leaf, slots.length, missing);
    }

    private static ColumnValues of(LeafReader leaf, int count, byte[] missing) {
        MemorySegment data = MemorySegment.ofArray(leaf.values.bytes);
        return leaf.leaf.conversion().type().kind() == ColumnType.Kind.FIXED
                ? ColumnValues.fixed(count, missing, data)
                : ColumnValues.variable(count, missing, data, leaf.values.offsets);
    }

    /// Moves the values apart, so that missing values have a place.
    private static void spread(LeafReader leaf, int count, byte[] missing) {
        if (missing == null) {
            return;
        }
        Dense values = leaf.values;
        ColumnType type = leaf.leaf.conversion().type();
        int next = values.count;
        if (type.kind() != ColumnType.Kind.FIXED) {
            values.reserveOffsets(count - values.count);
            long end = values.offsets[next];
            for (int i = count; i > 0; i--) {
                values.offsets[i] = end;
                end = missing[i - 1] == 0 ? values.offsets[--next] : end;
            }
            values.offsets[0] = 0;
            return;
        }
        int size = (int) type.size();
        values.reserve(Math.max(0, (long) count * size - values.size));
        for (int i = count - 1; i >= 0; i--) {
            if (missing[i] == 0) {
                next--;
                if (next != i) {
                    System.arraycopy(values.bytes, next * size, values.bytes, i * size, size);
                }
            }
        }
    }
}
