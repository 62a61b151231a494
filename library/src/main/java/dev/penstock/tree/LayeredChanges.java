// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.OptionalLong;

/// Two ordered sets of changes as one, in which the later one wins.
final class LayeredChanges implements Iterator<Map.Entry<byte[], OptionalLong>> {
    private final Iterator<Map.Entry<byte[], OptionalLong>> later;
    private final Iterator<Map.Entry<byte[], OptionalLong>> earlier;
    private Map.Entry<byte[], OptionalLong> nextLater;
    private Map.Entry<byte[], OptionalLong> nextEarlier;

    LayeredChanges(Iterator<Map.Entry<byte[], OptionalLong>> later, Iterator<Map.Entry<byte[], OptionalLong>> earlier) {
        this.later = later;
        this.earlier = earlier;
        this.nextLater = nextOf(later);
        this.nextEarlier = nextOf(earlier);
    }

    private static Map.Entry<byte[], OptionalLong> nextOf(Iterator<Map.Entry<byte[], OptionalLong>> changes) {
        return changes.hasNext() ? changes.next() : null;
    }

    @Override
    public boolean hasNext() {
        return nextLater != null || nextEarlier != null;
    }

    @Override
    public Map.Entry<byte[], OptionalLong> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        int order = nextLater == null
                ? 1
                : nextEarlier == null ? -1 : Arrays.compareUnsigned(nextLater.getKey(), nextEarlier.getKey());
        Map.Entry<byte[], OptionalLong> next = order <= 0 ? nextLater : nextEarlier;
        if (order <= 0) {
            nextLater = nextOf(later);
        }
        if (order >= 0) {
            nextEarlier = nextOf(earlier);
        }
        return next;
    }
}
