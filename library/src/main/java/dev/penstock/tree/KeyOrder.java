// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Sorts keys without moving them: unsigned bytes, a prefix before what it begins.
final class KeyOrder {
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private KeyOrder() {}

    /// The first eight bytes of a key as a number that sorts as they do, zeros behind a shorter one, made signed.
    static long prefix(byte[] bytes, int start, int size) {
        long word = 0;
        if (size >= Long.BYTES) {
            word = (long) WORDS.get(bytes, start);
        } else {
            for (int i = 0; i < size; i++) {
                word |= (bytes[start + i] & 0xFFL) << (56 - 8 * i);
            }
        }
        return word ^ Long.MIN_VALUE;
    }

    /// Decides between two items whose prefixes are equal.
    @FunctionalInterface
    interface Comparison {
        int compare(int a, int b);
    }

    /// Sorts items by prefix, then by comparison, then as they came. A merge sort, so that the last is for free.
    static void sort(long[] prefixes, int[] items, Comparison comparison) {
        int count = items.length;
        long[] fromPrefixes = prefixes;
        int[] fromItems = items;
        long[] toPrefixes = new long[count];
        int[] toItems = new int[count];
        for (long width = 1; width < count; width *= 2) {
            for (long start = 0; start < count; start += 2 * width) {
                int middle = (int) Math.min(start + width, count);
                int end = (int) Math.min(start + 2 * width, count);
                merge(fromPrefixes, fromItems, toPrefixes, toItems, (int) start, middle, end, comparison);
            }
            long[] swapPrefixes = fromPrefixes;
            fromPrefixes = toPrefixes;
            toPrefixes = swapPrefixes;
            int[] swapItems = fromItems;
            fromItems = toItems;
            toItems = swapItems;
        }
        if (fromItems != items) {
            System.arraycopy(fromItems, 0, items, 0, count);
            System.arraycopy(fromPrefixes, 0, prefixes, 0, count);
        }
    }

    private static void merge(
            long[] fromPrefixes,
            int[] fromItems,
            long[] toPrefixes,
            int[] toItems,
            int start,
            int middle,
            int end,
            Comparison comparison) {
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean isLeft = right == end
                    || (left < middle
                            && (fromPrefixes[left] < fromPrefixes[right]
                                    || (fromPrefixes[left] == fromPrefixes[right]
                                            && comparison.compare(fromItems[left], fromItems[right]) <= 0)));
            int source = isLeft ? left++ : right++;
            toPrefixes[i] = fromPrefixes[source];
            toItems[i] = fromItems[source];
        }
    }
}
