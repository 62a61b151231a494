// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.stream.IntStream;

/// The random generator of the original program (`StdRng` of rand 0.8.5), so that seeds give the same results:
/// ChaCha with 12 rounds, a 64-bit block counter, and a key that is expanded from a 64-bit seed.
///
/// **Threads.** One thread at a time.
public final class StdRng {
    private static final int ROUNDS = 12;
    private static final int WORDS = 16;
    private static final int KEY_START = 4;
    private static final int KEY_WORDS = 8;
    private static final int COUNTER = 12;

    private final int[] state = new int[WORDS];
    private final int[] block = new int[WORDS];
    private int position = WORDS;

    /// Creates a generator from an unsigned seed.
    public StdRng(long seed) {
        // The constant is the ASCII text "expand 32-byte k".
        state[0] = 0x61707865;
        state[1] = 0x3320646e;
        state[2] = 0x79622d32;
        state[3] = 0x6b206574;
        long word = seed;
        for (int i = 0; i < KEY_WORDS; i++) {
            word = word * 6364136223846793005L + Long.parseUnsignedLong("11634580027462260723");
            int mixed = (int) ((word >>> 18 ^ word) >>> 27);
            state[KEY_START + i] = Integer.rotateRight(mixed, (int) (word >>> 59));
        }
    }

    /// Returns the next 32 bits.
    public int nextInt() {
        if (position == WORDS) {
            refill();
        }
        return block[position++];
    }

    /// Returns the next 64 bits, the low half first.
    public long nextLong() {
        long low = Integer.toUnsignedLong(nextInt());
        return (long) nextInt() << 32 | low;
    }

    /// Returns a number from 0 up to an exclusive unsigned bound, using 32-bit draws.
    public int below32(int bound) {
        requireBound(bound);
        long range = Integer.toUnsignedLong(bound);
        long zone = Integer.toUnsignedLong((bound << Integer.numberOfLeadingZeros(bound)) - 1);
        while (true) {
            long product = Integer.toUnsignedLong(nextInt()) * range;
            if ((product & 0xFFFF_FFFFL) <= zone) {
                return (int) (product >>> 32);
            }
        }
    }

    /// Returns a number from 0 up to an exclusive unsigned bound, using 64-bit draws.
    public long below64(long bound) {
        requireBound(bound);
        long zone = (bound << Long.numberOfLeadingZeros(bound)) - 1;
        while (true) {
            long draw = nextLong();
            if (Long.compareUnsigned(draw * bound, zone) <= 0) {
                return Math.unsignedMultiplyHigh(draw, bound);
            }
        }
    }

    private static void requireBound(long bound) {
        if (bound == 0) {
            throw new IllegalArgumentException("the bound must be greater than 0");
        }
    }

    /// Returns the numbers from 0 to `count - 1` in the order of the original program's shuffle.
    public int[] shuffled(int count) {
        int[] order = IntStream.range(0, count).toArray();
        for (int i = count - 1; i > 0; i--) {
            int other = below32(i + 1);
            int kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        return order;
    }

    private void refill() {
        System.arraycopy(state, 0, block, 0, WORDS);
        for (int round = 0; round < ROUNDS; round += 2) {
            quarter(0, 4, 8, 12);
            quarter(1, 5, 9, 13);
            quarter(2, 6, 10, 14);
            quarter(3, 7, 11, 15);
            quarter(0, 5, 10, 15);
            quarter(1, 6, 11, 12);
            quarter(2, 7, 8, 13);
            quarter(3, 4, 9, 14);
        }
        for (int i = 0; i < WORDS; i++) {
            block[i] += state[i];
        }
        if (++state[COUNTER] == 0) {
            state[COUNTER + 1]++;
        }
        position = 0;
    }

    private void quarter(int a, int b, int c, int d) {
        int[] x = block;
        x[a] += x[b];
        x[d] = Integer.rotateLeft(x[d] ^ x[a], 16);
        x[c] += x[d];
        x[b] = Integer.rotateLeft(x[b] ^ x[c], 12);
        x[a] += x[b];
        x[d] = Integer.rotateLeft(x[d] ^ x[a], 8);
        x[c] += x[d];
        x[b] = Integer.rotateLeft(x[b] ^ x[c], 7);
    }
}
