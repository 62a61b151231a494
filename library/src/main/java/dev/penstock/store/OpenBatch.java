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
/// **Threads.** Guarded by the lock of [StoreCore].
final class OpenBatch {
    private final Path store;
    private final StoreFiles files;
    private final StoreState state;
    private final List<StoreField> fields;
    private BatchCells cells;
    /// The number of records before these changes, including those of a batch that is being committed.
    private long start;
    /// The lowest index of a record that was appended since.
    private long firstAppended;

    /// The threads that made these changes.
    private final Set<Thread> authors = new HashSet<>();

    private final LostChanges lost = new LostChanges();
    /// The number of failed writes that this batch has taken into account.
    private long knownLosses;

    OpenBatch(Path store, StoreFiles files) {
        this.store = store;
        this.files = files;
        this.state = files.state();
        this.fields = state.meta().fields();
        restart(state.cells().length());
    }

    private void restart(long length) {
        BatchCells next = new BatchCells(state.cells(), length);
        start = length;
        firstAppended = length;
        cells = next;
        authors.clear();
    }

    /// The number of records including the changes.
    long length() {
        return cells.length();
    }

    /// Whether there is anything to commit.
    boolean isChanged() {
        return cells.isChanged();
    }

    /// Whether this thread has made some of the changes.
    boolean isAuthor(Thread thread) {
        return authors.contains(thread);
    }

    /// Whether a record was deleted and left a tombstone.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    boolean isDeleted(long slot) throws IOException {
        Objects.checkIndex(slot, cells.length());
        return cells.get(0, slot).isDeleted();
    }

    /// The bytes of a value, or null when it is missing.
    byte[] value(int field, long slot) throws IOException {
        flush();
        Objects.checkIndex(slot, cells.length());
        return state.values().value(fields.get(field), cells.get(field, slot));
    }

    /// Appends rows whose values are placed.
    ///
    /// @return the index of the first of these records; the others follow it
    long append(PlacedRows rows) {
        long first = cells.length();
        if (rows.rowCount() == 0) {
            return first;
        }
        authors.add(Thread.currentThread());
        cells.append(rows);
        return first;
    }

    /// Changes some fields of a record.
    ///
    /// @param placed the values, as one row
    void update(long slot, int[] positions, PlacedRows placed) throws IOException {
        requireThere(slot);
        authors.add(Thread.currentThread());
        for (int i = 0; i < positions.length; i++) {
            cells.put(positions[i], slot, placed.entry(0, i), placed.crc(0, i));
        }
    }

    /// Leaves a tombstone.
    void delete(long slot) throws IOException {
        requireThere(slot);
        files.begin();
        authors.add(Thread.currentThread());
        for (int field = 0; field < fields.size(); field++) {
            cells.put(field, slot, StoreEntry.DELETED, 0);
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
        long last = cells.length() - 1;
        if (slot < last) {
            move(last, slot);
        }
        cells.setLength(last);
        firstAppended = Math.min(firstAppended, last);
        return slot < last ? last : -1;
    }

    private void move(long from, long to) throws IOException {
        StoreEntry[] entries = new StoreEntry[fields.size()];
        int[] crcs = new int[entries.length];
        for (int field = 0; field < entries.length; field++) {
            entries[field] = cells.get(field, from);
            crcs[field] = crc(field, from, entries[field]);
        }
        // Nothing can fail from here on, so that no record is moved in part.
        for (int field = 0; field < entries.length; field++) {
            cells.put(field, to, entries[field], crcs[field]);
        }
    }

    private int crc(int field, long slot, StoreEntry entry) throws IOException {
        if (!entry.hasBytes()) {
            return 0;
        }
        StoreChange change = cells.change(field, slot);
        return change != null ? change.crc() : state.values().stored(entry).crc();
    }

    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException  when the record was deleted
    void requireThere(long slot) throws IOException {
        if (isDeleted(slot)) {
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

    /// Gives up the changes because a value of the calling thread could not be written, for example because the
    /// disk is full: buffered values of other threads may be lost with it.
    ///
    /// @return the exception for the calling thread
    StoreLostException failed(IOException cause) {
        dropIfLost();
        long first = lost.tell(Thread.currentThread(), start);
        return new StoreLostException(store, "a value could not be written", first, cause);
    }

    /// Drops the changes if a write has failed since they began. Their values are garbage in the chunks.
    private void dropIfLost() {
        long losses = files.chunks().lossCount();
        if (losses != knownLosses) {
            if (cells.isChanged()) {
                lost.fail(authors, firstAppended);
                restart(start);
            }
            knownLosses = losses;
        }
    }

    /// @param losses the number of failed writes before the calling thread placed its values
    /// @throws StoreLostException when these values may be lost, because a write of another thread failed since
    ///                            then, or other changes of the calling thread were given up
    void requireNoLossSince(long losses) throws IOException {
        requireNotLost(Thread.currentThread());
        if (losses != knownLosses) {
            throw lostTo(Thread.currentThread(), start);
        }
    }

    /// @throws StoreLostException when changes of this thread were given up; it is thrown once
    void requireNotLost(Thread author) throws IOException {
        dropIfLost();
        if (lost.concerns(author)) {
            throw lostTo(author, start);
        }
    }

    /// @throws StoreLostException when changes of any thread were given up, and the committing one does not know
    /// it; then the others since are given up as well, so that all have to be made again
    void requireCommittable(Thread author) throws IOException {
        requireNotLost(author);
        if (lost.isUnknownTo(author)) {
            long first = firstAppended;
            discard(author);
            throw lostTo(author, first);
        }
    }

    private StoreLostException lostTo(Thread thread, long firstIndex) {
        return new StoreLostException(
                store, "another thread has failed or rolled back", lost.tell(thread, firstIndex), null);
    }

    /// Discards the changes of all threads. The others are told.
    void rollback(Thread author) {
        dropIfLost();
        discard(author);
        lost.tell(author, start);
    }

    private void discard(Thread author) {
        authors.remove(author);
        lost.discard(authors, firstAppended);
        lost.report();
        restart(start);
    }

    /// The changes, which are committed next. Further changes are made on top of them.
    BatchCells cells() {
        return cells;
    }

    /// Starts the next batch, because this one is being committed.
    ///
    /// @param author the thread that commits
    void startNext(Thread author) {
        restart(cells.length());
        lost.committedBy(author);
    }

    /// The changes as they are written to the journal.
    List<StoreChange> changes() {
        return cells.changes();
    }

    /// Replaces places whose values have moved.
    void replacePlaces(UnaryOperator<StoreEntry> replacement) {
        cells.replacePlaces(replacement);
    }
}
