// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A stream of the rows of a corpus in order, which can also read rows by id.
///
/// Row ids run from 0 to [#count] - 1, in the order of the shards. They do not depend on batches, on read-ahead or
/// on how the files are stored. There are two implementations with the same rows: one for mapped files, and one
/// for files that are read by range.
///
/// A source has a position, the id of the next row. [#nextBatch] and [#nextRows] advance it; [#read], [#gather]
/// and [#views] do not.
///
/// **Lifecycle.** Valid until it or its [ShardReader] is closed. Closing the source stops the read-ahead; reading
/// afterwards throws an [IllegalStateException].
///
/// **Threads.** One thread at a time. Several sources of the same reader are independent.
public interface ShardSource extends AutoCloseable {
    /// The number of rows in all shards.
    long count();

    /// The number of values in a row.
    long width();

    /// The type of the stored values.
    ElementType type();

    /// The largest number of rows in a batch: 1024, or [#count] if that is smaller.
    long batchRows();

    /// Reads the next batch: up to [#batchRows] rows of one shard, converted to the type of the batch.
    ///
    /// @return false at the end; then the batch is empty and the position does not change
    /// @throws DatasetException when a shard was shortened or a value is rejected; the position does not change
    boolean nextBatch(ShardBatch batch) throws IOException;

    /// Reads the next `rowCount` rows, which may lie in several shards; fewer only at the end.
    ///
    /// @return false at the end; then the batch is empty and the position does not change
    /// @throws IllegalArgumentException when the count is not positive
    boolean nextRows(long rowCount, ShardBatch batch) throws IOException;

    /// [#nextRows(long, ShardBatch)] into memory of the caller, converted to a type.
    ///
    /// @return the number of rows read; 0 at the end
    /// @throws IllegalArgumentException when the count is not positive, or the memory is too small for the rows
    long nextRows(long rowCount, ElementType type, MemorySegment target) throws IOException;

    /// Moves back to row 0, so that the same rows are read again.
    default void reset() {
        seek(0);
    }

    /// Moves to a row. The row after the last one is the end.
    ///
    /// @throws IndexOutOfBoundsException when the row is out of range
    void seek(long rowId);

    /// The id of the next row.
    long position();

    /// A resume token: a short text with the position, for [#resume]. It is valid only for the fingerprint of the
    /// corpus.
    ///
    /// @throws DatasetException when another program has changed a shard since it was opened
    String token() throws IOException;

    /// Moves to the position of another source of the same corpus.
    ///
    /// @throws IllegalArgumentException when the text is not a token of this corpus
    /// @throws DatasetException         when another program has changed a shard since it was opened
    void resume(String token) throws IOException;

    /// Reads the rows from `from` up to the exclusive `to`.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    void read(long from, long to, ShardBatch batch) throws IOException;

    /// Reads rows by id, in the order of the ids. An id may occur more than once.
    ///
    /// @throws IndexOutOfBoundsException when an id is out of range
    void gather(long[] rowIds, ShardBatch batch) throws IOException;

    /// Returns the stored bytes of consecutive rows, one segment for each shard: views if the shards are mapped,
    /// otherwise copies. Views are valid until the reader is closed.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    List<MemorySegment> views(long from, long to) throws IOException;

    /// The number of infinite values and NaNs that were passed on, if they are counted.
    long nonFiniteCount();

    /// Statistics of the read-ahead so far.
    ReadAheadCounts readAhead();

    @Override
    void close();
}
