// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Progress;
import dev.penstock.RemoteCounts;
import dev.penstock.RemoteRecords;
import java.io.IOException;
import java.util.Arrays;

/// The records of a selection in remote storage. Only ahead reading knows the selection; the cache keeps what it
/// has.
record SubsetRecords(RemoteRecords base, Selection selection) implements RemoteRecords {
    @Override
    public RemoteCounts counts() {
        return base.counts();
    }

    @Override
    public Ahead ahead(long[] indices) {
        long[] ofBase = Arrays.stream(indices).map(selection::at).sorted().toArray();
        return base.ahead(ofBase);
    }

    @Override
    public long warm(Progress progress) throws IOException {
        return base.warm(progress);
    }

    @Override
    public void follow(NextUse order) {
        base.follow(null);
    }
}
