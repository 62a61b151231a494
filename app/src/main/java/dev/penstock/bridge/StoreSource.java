// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.store.StoreWriter;
import java.io.IOException;

/// A store that is open for writing. If it is released without being closed, uncommitted changes are lost.
record StoreSource(StoreWriter writer) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        writer.abort();
    }
}
