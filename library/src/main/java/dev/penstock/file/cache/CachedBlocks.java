// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongUnaryOperator;

/// What this process knows about the cached blocks of one object. Another process may add and delete blocks
/// meanwhile, so that it is a guess, and reading a block tells.
///
/// **Threads.** Safe for any number of threads.
final class CachedBlocks {
    private final ObjectKey key;
    private final String uri;
    private final Disk.Lock use;
    private final BitSet held = new BitSet();
    /// The blocks whose checksum this process has compared.
    private final BitSet checked = new BitSet();
    private int userCount = 1;
    private volatile LongUnaryOperator distance;
    private volatile long epochLength;

    CachedBlocks(ObjectKey key, String uri, Disk.Lock use, List<Long> blocks) {
        this.key = key;
        this.uri = uri;
        this.use = use;
        blocks.forEach(block -> held.set(Math.toIntExact(block)));
    }

    ObjectKey key() {
        return key;
    }

    String uri() {
        return uri;
    }

    Disk.Lock use() {
        return use;
    }

    /// The number of open objects that share this; the cache guards it.
    int addUser(int change) {
        userCount += change;
        return userCount;
    }

    synchronized boolean holds(long blockIndex) {
        return held.get((int) blockIndex);
    }

    synchronized boolean isChecked(long blockIndex) {
        return checked.get((int) blockIndex);
    }

    /// Notes a block whose file is right.
    synchronized void note(long blockIndex) {
        held.set((int) blockIndex);
        checked.set((int) blockIndex);
    }

    /// Notes that there is no such block.
    ///
    /// @return whether there was one
    synchronized boolean forget(long blockIndex) {
        boolean wasHeld = held.get((int) blockIndex);
        held.clear((int) blockIndex);
        checked.clear((int) blockIndex);
        return wasHeld;
    }

    synchronized List<Long> held() {
        return held.stream().mapToObj(Long::valueOf).toList();
    }

    void follow(LongUnaryOperator distance, long epochLength) {
        this.epochLength = epochLength;
        this.distance = distance;
    }

    boolean isFollowed() {
        return distance != null;
    }

    long epochLength() {
        return epochLength;
    }

    long distance(long blockIndex) {
        LongUnaryOperator present = distance;
        return present == null ? 0 : present.applyAsLong(blockIndex);
    }
}
