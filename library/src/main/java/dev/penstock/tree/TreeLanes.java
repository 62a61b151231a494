// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// Looks up several keys in turns, a node of each at a time, so that memory fetches for all of them at once what
/// each is waiting for.
///
/// **Threads.** One at a time.
final class TreeLanes {
    private static final int COUNT = 16;
    private static final long GOES_ON = -2;

    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final TreeWalk walk;
    private final byte[][] keys = new byte[COUNT][];
    private final int[] tags = new int[COUNT];
    private final long[] nodes = new long[COUNT];
    private final int[] positions = new int[COUNT];
    private final long[] jumps = new long[COUNT];
    private final boolean[] isFresh = new boolean[COUNT];
    private int count;

    /// Kept so that the loads that only fetch memory are not optimised away.
    private long fetched;

    TreeLanes(TreeBytes bytes, TreeLookup lookup) {
        this.bytes = bytes;
        this.lookup = lookup;
        this.walk = lookup.walk();
    }

    /// Gets the answer for a key: where its value is, or [TreeLookup#ABSENT].
    @FunctionalInterface
    interface Answer {
        void take(int tag, long offset);
    }

    boolean isFull() {
        return count == COUNT;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// Begins with a key, or answers at once.
    void add(byte[] key, int tag, Answer answer) {
        if (lookup.isForeign(key) || !lookup.isCommon(key)) {
            answer.take(tag, TreeLookup.ABSENT);
            return;
        }
        int lane = count++;
        keys[lane] = key;
        tags[lane] = tag;
        jumps[lane] = lookup.descend(key, nodes, positions, lane);
        isFresh[lane] = true;
    }

    /// Takes each key one node further; those that are done are answered and gone.
    void advance(Answer answer) {
        long sum = 0;
        for (int lane = 0; lane < count; lane++) {
            sum += bytes.u8(nodes[lane]);
        }
        fetched = sum;
        for (int lane = count - 1; lane >= 0; lane--) {
            long offset = step(lane);
            if (offset != GOES_ON) {
                if (offset != TreeLookup.ABSENT) {
                    lookup.noteIfNew(keys[lane], jumps[lane]);
                }
                answer.take(tags[lane], offset);
                remove(lane);
            }
        }
    }

    private void remove(int lane) {
        int last = --count;
        keys[lane] = keys[last];
        tags[lane] = tags[last];
        nodes[lane] = nodes[last];
        positions[lane] = positions[last];
        jumps[lane] = jumps[last];
        isFresh[lane] = isFresh[last];
    }

    private long step(int lane) {
        byte[] key = keys[lane];
        long node = nodes[lane];
        int position = positions[lane];
        long word = bytes.word(node);
        int head = (int) word & 0xFF;
        if (head < TreeFormat.LINE) {
            if (position == key.length) {
                bytes.requireCount(node, head & TreeFormat.COUNT);
                return (head & TreeFormat.VALUE) != 0 ? node + 1 : TreeLookup.ABSENT;
            }
            int wanted = key[position] & 0xFF;
            long child = walk.child(node, word, wanted);
            if (child == TreeLookup.ABSENT) {
                return TreeLookup.ABSENT;
            }
            if (isFresh[lane]) {
                lookup.noteStep(node, wanted, child);
                isFresh[lane] = false;
            }
            nodes[lane] = child;
            positions[lane] = position + 1;
            return GOES_ON;
        }
        int segmentSize = walk.matchLine(node, word, key, position);
        if (segmentSize == 0) {
            return TreeLookup.ABSENT;
        }
        position += segmentSize;
        if (position == key.length && (head & TreeFormat.VALUE) != 0) {
            return node + 1;
        }
        if ((head & TreeFormat.LINE_CHILD) == 0) {
            return TreeLookup.ABSENT;
        }
        nodes[lane] = walk.childOfLine(node, word);
        positions[lane] = position;
        isFresh[lane] = false;
        return GOES_ON;
    }
}
