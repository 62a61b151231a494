// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// The rows of a corpus, streamed in order and read by row id.
///
/// Row ids are dense, from 0 to [#count] - 1, in the order of the shards. They do not depend on batches, on
/// read-ahead or on how the files are stored. There are two implementations with the same rows: mapped files, and
/// files of a store that answers "list, size, read this range".
///
/// A source has a position, the id of the next row. [#nextBatch] and [#nextRows] move it; [#read], [#gather] and
/// [#views] do not.
///
/// **Lifecycle.** Dies with the [ShardReader] it was made by. Closing stops the read-ahead.
///
/// **Threads.** One at a time. Several sources over the same reader are independent.
public interface ShardSource extends AutoCloseable {
    /// Rows of all shards.
    long count();

    /// Numbers in a row.
    long width();

    /// The type of the stored numbers.
    ElementType type();

    /// Rows of a batch at most: 1024, or [#count] if that is smaller.
    long batchRows();

    /// Reads the next batch: up to [#batchRows] rows that lie in one shard, converted to the type of the batch.
    ///
    /// @return false at the end, where the batch is empty and the position stays
    /// @throws DatasetException when a shard was shortened or a value is refused; the position stays
    boolean nextBatch(ShardBatch batch) throws IOException;

    /// Reads the next `rowCount` rows, whatever shards they are in; fewer only at the end.
    ///
    /// @return false at the end, where the batch is empty and the position stays
    /// @throws IllegalArgumentException when the count is not positive
    boolean nextRows(long rowCount, ShardBatch batch) throws IOException;

    /// [#nextRows(long, ShardBatch)] into memory of the caller, converted to a type.
    ///
    /// @return how many rows were read; 0 at the end
    /// @throws IllegalArgumentException when the count is not positive, or the memory is too small for the rows
    long nextRows(long rowCount, ElementType type, MemorySegment target) throws IOException;

    /// Goes back to row 0; the same rows come again.
    default void reset() {
        seek(0);
    }

    /// Moves to a row. The row after the last one is the end.
    ///
    /// @throws IndexOutOfBoundsException when there is no such row
    void seek(long rowId);

    /// The id of the next row.
    long position();

    /// A short text that says where the source is, for [#resume]. It is bound to the fingerprint of the corpus.
    String token() throws IOException;

    /// Moves to where another source of the same corpus was.
    ///
    /// @throws IllegalArgumentException when the text is not a token, or is one of another corpus
    void resume(String token) throws IOException;

    /// Reads the rows from `from` up to but not including `to`.
    ///
    /// @throws IndexOutOfBoundsException when there are no such rows
    void read(long from, long to, ShardBatch batch) throws IOException;

    /// Reads rows by their ids, in the order of the ids, which may repeat.
    ///
    /// @throws IndexOutOfBoundsException when there is no such row
    void gather(long[] rowIds, ShardBatch batch) throws IOException;

    /// The stored bytes of consecutive rows, one segment for each shard that they are in: views where the shards
    /// are mapped, otherwise copies. Views die with the reader.
    ///
    /// @throws IndexOutOfBoundsException when there are no such rows
    List<MemorySegment> views(long from, long to) throws IOException;

    /// Infinite values and NaNs that were passed on, when they are counted.
    long nonFiniteCount();

    /// What the read-ahead has done so far.
    ReadAheadCounts readAhead();

    @Override
    void close();
}
