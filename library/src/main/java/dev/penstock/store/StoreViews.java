// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Zero-copy views of values of an uncompressed field in mapped chunks.
///
/// **Ownership.** Keeps the chunks mapped until it is closed, even if the reader is closed before.
///
/// **Lifecycle.** Reading a value after [#close] throws an [IllegalStateException]. Reading one whose file another
/// program has shortened throws an [InternalError] of the Java runtime; the copying reads of [StoreReader] throw a
/// [dev.penstock.DatasetException] instead.
///
/// **Threads.** Only the thread that created the views.
public final class StoreViews implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> values = new ArrayList<>();
    private final Map<Long, OpenFile> chunks = new HashMap<>();
    /// Chunks that were opened again because they had grown.
    private final List<OpenFile> others = new ArrayList<>();

    private Runnable release;

    private StoreViews() {}

    /// @param release is called once when the views are closed
    static StoreViews of(StoreState state, int field, long[] indices, Runnable release) throws IOException {
        StoreField storeField = state.meta().fields().get(field);
        if (storeField.compression() != StoreCompression.RAW
                || !storeField.recoded().isEmpty()) {
            throw new IllegalArgumentException("field " + storeField.name() + " is compressed ("
                    + storeField.compression().word() + "), so its values cannot be viewed; copy them");
        }
        StoreViews views = new StoreViews();
        try {
            for (long index : indices) {
                Objects.checkIndex(index, state.cells().length());
                views.add(state, state.cells().get(field, index));
            }
            views.release = release;
            return views;
        } catch (Throwable e) {
            views.close();
            throw e;
        }
    }

    private void add(StoreState state, StoreEntry entry) throws IOException {
        if (!entry.hasBytes()) {
            values.add(
                    entry.isMissing()
                            ? null
                            : MemorySegment.ofArray(new byte[0]).asReadOnly());
            return;
        }
        OpenFile chunk = state.values().acquireChunk(entry);
        if (chunks.get(entry.chunk()) == chunk) {
            chunk.release();
        } else {
            OpenFile other = chunks.put(entry.chunk(), chunk);
            if (other != null) {
                others.add(other);
            }
        }
        state.values().requireIntact(entry);
        values.add(lent(chunk.view(entry.offset(), entry.size())));
    }

    /// The same bytes with the lifetime of these views. A file that is not mapped was copied to the heap.
    @SuppressWarnings("restricted")
    private MemorySegment lent(MemorySegment view) {
        return view.isNative() ? view.reinterpret(arena, null) : view;
    }

    /// The number of values.
    public int count() {
        return values.size();
    }

    /// Whether the value of a row is missing.
    public boolean isMissing(int row) {
        return values.get(row) == null;
    }

    /// The bytes of a value, read-only.
    ///
    /// @throws IllegalArgumentException when the value is missing
    public MemorySegment value(int row) {
        MemorySegment value = values.get(row);
        if (value == null) {
            throw new IllegalArgumentException("the value of row " + row + " is missing");
        }
        return value;
    }

    /// Closes the views. Their values can no longer be read.
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            chunks.values().forEach(OpenFile::release);
            others.forEach(OpenFile::release);
            if (release != null) {
                release.run();
            }
        }
    }
}
