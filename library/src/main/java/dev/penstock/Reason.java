// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Why bytes were refused, or what `verify` noticed about them: the word that scripts read.
public enum Reason {
    /// The first bytes are not those of the format.
    BAD_MAGIC,
    /// The format is known, its version is not.
    UNSUPPORTED_VERSION,
    /// The file ends before what it announces.
    TRUNCATED,
    /// A stored checksum differs from that of the bytes it covers.
    CHECKSUM,
    /// Counts or sizes whose product or sum does not fit in 63 bits.
    SIZE_OVERFLOW,
    /// An offset or a size points outside the region it belongs to.
    OUT_OF_RANGE,
    /// The recorded end of the data is not where the last record ends.
    DATA_END_MISMATCH,
    /// A record kind that no reader knows.
    UNKNOWN_KIND,
    /// A flag that no reader knows, so that the bytes beneath cannot be interpreted.
    UNKNOWN_FLAGS,
    /// Compressed bytes that do not expand to what was announced.
    BAD_COMPRESSION,
    /// A table of record names that contradicts itself.
    BAD_NAMES,
    /// A page of the file could not be read from the device.
    READ_FAULT,
    /// Reserved or padding bytes that should be zero.
    NONZERO_PADDING,
    /// Something that can be read, in a form that no writer gives it.
    NOT_CANONICAL,
    /// Records that are not stored in the order of their indices.
    UNSORTED,
    /// Records that share bytes.
    OVERLAP,
    /// A summary inside the file that contradicts its content or its bounds.
    BAD_STATS,
    /// A header whose text is not what the format allows.
    BAD_HEADER,
    /// Values of a type that cannot be read, because they are no plain bytes.
    UNSUPPORTED_TYPE,
    /// Bytes behind the last record that belong to nothing.
    TRAILING_BYTES,
    /// A list of files that is damaged.
    BAD_MANIFEST,
    /// A file that belongs to the dataset is not there.
    MISSING_SHARD,
    /// A file that differs from the others of its dataset, or from what is listed about it.
    SHARD_MISMATCH,
    /// A file that lies among those of the dataset and is not listed.
    UNLISTED_SHARD,
    /// A number in a variable-length encoding that is too long or too large.
    BAD_VARINT,
    /// A tag that is none of those that the format knows.
    BAD_TAG,
    /// Text that is not UTF-8.
    NOT_UTF8,
    /// A recorded count that differs from the number of things that are there.
    COUNT_MISMATCH,
    /// A record whose content is not of the kind that the index gives it.
    KIND_MISMATCH,
    /// A move that does not exist in the game.
    BAD_MOVE,
    /// A move that does not change the board.
    ILLEGAL_MOVE,
    /// A board that does not follow from the board and the move before it.
    BAD_TRANSITION,
    /// Recorded legality that is not that of the board.
    LEGALITY_MISMATCH,
    /// A move that makes a tile for which a board has no room.
    TILE_OVERFLOW,
    /// An SQLite database that cannot be read, or whose tables are not the expected ones.
    BAD_DATABASE,
    /// Groups of rows that overlap, or lie outside the rows.
    BAD_GROUPS,
    /// Changes that another program has begun and not committed.
    UNCOMMITTED,
    /// A step of a run without the branch values that the dataset needs.
    MISSING_BRANCHES,
    /// A run with more steps than a step index can number.
    RUN_TOO_LONG,
    /// A row whose run id or step index is not that of its place.
    BAD_RUN_ID,
    /// A dataset that needs records and has none.
    EMPTY,
    /// A file that cannot be opened or read.
    IO,
    /// A type tag that no reader knows.
    BAD_DTYPE,
    /// A file whose rows are wider or narrower than those of the first file.
    WIDTH_MISMATCH,
    /// Rows without columns.
    ZERO_WIDTH,
    /// Sizes in a header whose product or sum does not fit in 63 bits.
    HEADER_OVERFLOW,
    /// A file that was changed while it was open.
    SHARD_CHANGED,
    /// The same file given twice, so that its rows count twice.
    DUPLICATE_SHARD,
    /// A value that is infinite or not a number.
    NON_FINITE
}
