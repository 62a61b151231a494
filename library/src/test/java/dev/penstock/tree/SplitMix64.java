// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// The generator of `make_keys.py`.
final class SplitMix64 {
    private long state;

    SplitMix64(long seed) {
        state = seed;
    }

    long next() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    int below(int limit) {
        return (int) Long.remainderUnsigned(next(), limit);
    }

    byte[] octets(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i += 8) {
            long word = next();
            for (int j = i; j < Math.min(i + 8, count); j++) {
                bytes[j] = (byte) (word >>> 8 * (j - i));
            }
        }
        return bytes;
    }
}
