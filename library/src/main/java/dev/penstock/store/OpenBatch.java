// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/// The changes of all threads since the last commit. Their values are already in chunks, or in the buffers of the
/// chunk writers.
///
/// **Threads.** Guarded by the lock of the writer.
final class OpenBatch {
    private final Path store;
    private final StoreFiles files;
    private final StoreState state;
    private final List<StoreField> fields;
    private StoreBatch batch;
    /// The threads that changed the batch.
    private final Set<Thread> authors = new HashSet<>();
    /// Threads whose changes were discarded because a write of another thread failed.
    private final Set<Thread> bereft = new HashSet<>();
    /// The number of failed writes that this batch has taken into account.
    private long knownLosses;

    OpenBatch(Path store, StoreFiles files, StoreState state) {
        this.store = store;
        this.files = files;
        this.state = state;
        this.fields = state.meta().fields();
        this.batch = new StoreBatch(state.cells(), state.cells().length());
    }

    /// The number of records including the changes.
    long length() {
        return batch.length();
    }

    /// Whether there is anything to commit.
    boolean isChanged() {
        return batch.isChanged();
    }

    /// Whether this thread has made some of the changes.
    boolean isAuthor(Thread thread) {
        return authors.contains(thread);
    }

    /// The content of a slot including the changes.
    StoreEntry entry(int field, long slot) throws IOException {
        return batch.get(field, slot);
    }

    /// The bytes of a value, or null when it is missing.
    byte[] value(int field, long slot) throws IOException {
        flush();
        Objects.checkIndex(slot, batch.length());
        return state.values().value(fields.get(field), batch.get(field, slot));
    }

    /// Appends rows whose values are placed.
    ///
    /// @return the index of the first of these records; the others follow it
    long append(PlacedRows rows) {
        long first = batch.length();
        if (rows.rowCount() == 0) {
            return first;
        }
        authors.add(Thread.currentThread());
        for (int row = 0; row < rows.rowCount(); row++) {
            for (int field = 0; field < fields.size(); field++) {
                batch.put(field, first + row, rows.entry(row, field), rows.crc(row, field));
            }
        }
        batch.setLength(first + rows.rowCount());
        return first;
    }

    /// Changes some fields of a record.
    ///
    /// @param placed the values, as one row
    void update(long slot, int[] positions, PlacedRows placed) throws IOException {
        requireThere(slot);
        authors.add(Thread.currentThread());
        for (int i = 0; i < positions.length; i++) {
            batch.put(positions[i], slot, placed.entry(0, i), placed.crc(0, i));
        }
    }

    /// Leaves a tombstone.
    void delete(long slot) throws IOException {
        requireThere(slot);
        files.begin();
        authors.add(Thread.currentThread());
        for (int field = 0; field < fields.size(); field++) {
            batch.put(field, slot, StoreEntry.DELETED, 0);
        }
    }

    /// Deletes a record and moves the last one into the gap.
    ///
    /// @return the former index of the record that has moved, or -1 when the last one was deleted
    long deleteBySwap(long slot) throws IOException {
        // The checksum of the last record may have to be read from its chunk.
        flush();
        requireThere(slot);
        files.begin();
        authors.add(Thread.currentThread());
        long last = batch.length() - 1;
        if (slot < last) {
            move(last, slot);
        }
        batch.setLength(last);
        return slot < last ? last : -1;
    }

    private void move(long from, long to) throws IOException {
        for (int field = 0; field < fields.size(); field++) {
            StoreEntry entry = batch.get(field, from);
            StoreChange change = batch.change(field, from);
            int crc = !entry.hasBytes()
                    ? 0
                    : change != null
                            ? change.crc()
                            : state.values().stored(entry).crc();
            batch.put(field, to, entry, crc);
        }
    }

    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException  when the record was deleted
    void requireThere(long slot) throws IOException {
        Objects.checkIndex(slot, batch.length());
        if (batch.get(0, slot).isDeleted()) {
            throw new IllegalArgumentException("record " + slot + " was deleted");
        }
    }

    /// Writes all buffered values.
    void flush() throws IOException {
        try {
            files.chunks().flush();
        } catch (IOException e) {
            throw failed(e);
        }
        dropIfLost();
    }

    /// Discards the changes because a value of the calling thread could not be written, for example because the
    /// disk is full: other buffered values are lost as well.
    ///
    /// @return the exception for the calling thread
    IOException failed(IOException cause) {
        authors.remove(Thread.currentThread());
        dropIfLost();
        return new IOException(
                store + ": a value could not be written, and the changes since the last commit are given up: "
                        + cause.getMessage(),
                cause);
    }

    /// Drops the changes if a write of another thread has failed since they began.
    void dropIfLost() {
        long losses = files.chunks().lossCount();
        if (losses != knownLosses) {
            knownLosses = losses;
            bereft.addAll(authors);
            giveUp();
        }
    }

    /// @param losses the number of failed writes before the calling thread placed its values
    /// @throws IOException when these values may be lost, because a write of another thread failed since then
    void requireNoLoss(long losses) throws IOException {
        dropIfLost();
        if (losses != knownLosses) {
            bereft.remove(Thread.currentThread());
            throw lost();
        }
    }

    private IOException lost() {
        return new IOException(store + ": changes of this thread were given up because a write of another thread"
                + " failed; make them again");
    }

    /// Drops the changes. Their values are garbage in the chunks.
    void giveUp() {
        authors.clear();
        batch = new StoreBatch(state.cells(), state.cells().length());
    }

    /// Hands over the changes to be committed. Further changes are made on top of them.
    StoreBatch take() {
        StoreBatch taken = batch;
        batch = new StoreBatch(state.cells(), taken.length());
        authors.clear();
        return taken;
    }

    /// The changes as they are written to the journal.
    List<StoreChange> changes() {
        return batch.changes();
    }

    /// Replaces places whose values have moved.
    void replacePlaces(UnaryOperator<StoreEntry> replacement) {
        batch.replacePlaces(replacement);
    }

    /// @throws IOException when changes of the calling thread were discarded; it is thrown once
    void requireNotBereft(Thread author) throws IOException {
        dropIfLost();
        if (bereft.remove(author)) {
            throw lost();
        }
    }
}
