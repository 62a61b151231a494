// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.store.StoreWriter;
import java.io.IOException;

/// A store that is open for writing. One that is released and not closed loses what was not committed.
record StoreSource(StoreWriter writer) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        writer.abort();
    }
}
