// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Why bytes were rejected, or what `verify` found. Scripts read the name of the constant.
public enum Reason {
    /// The first bytes are not the magic number of the format.
    BAD_MAGIC,
    /// The format is known, but this version of it cannot be read.
    UNSUPPORTED_VERSION,
    /// The file ends before the content that its header announces.
    TRUNCATED,
    /// A stored checksum differs from the checksum of the bytes.
    CHECKSUM,
    /// The product or sum of stored counts or sizes does not fit in 63 bits.
    SIZE_OVERFLOW,
    /// An offset or a size points outside the region it belongs to.
    OUT_OF_RANGE,
    /// The stored end of the data is not the end of the last record.
    DATA_END_MISMATCH,
    /// A record kind that this program does not know.
    UNKNOWN_KIND,
    /// A flag that this program does not know, so the record cannot be interpreted.
    UNKNOWN_FLAGS,
    /// Compressed bytes that cannot be decompressed, or decompress to an unexpected size.
    BAD_COMPRESSION,
    /// A table of record names that is inconsistent.
    BAD_NAMES,
    /// A page of the file could not be read from the device.
    READ_FAULT,
    /// Reserved or padding bytes that are not zero.
    NONZERO_PADDING,
    /// Readable content in a form that no known writer produces.
    NOT_CANONICAL,
    /// Records that are not stored in the order of their indices.
    UNSORTED,
    /// Records that share bytes.
    OVERLAP,
    /// Statistics inside the file that contradict its content or their own bounds.
    BAD_STATS,
    /// A header that is not valid in this format.
    BAD_HEADER,
    /// Values of a type that cannot be read, such as Python objects.
    UNSUPPORTED_TYPE,
    /// Extra bytes after the last record.
    TRAILING_BYTES,
    /// A damaged manifest, the list of files of a dataset.
    BAD_MANIFEST,
    /// A file of the dataset is missing.
    MISSING_SHARD,
    /// A file that differs from the other files of its dataset, or from its entry in the manifest.
    SHARD_MISMATCH,
    /// A file in the folder of the dataset that the manifest does not list.
    UNLISTED_SHARD,
    /// A number in a variable-length encoding that is too long or too large.
    BAD_VARINT,
    /// A tag that the format does not define.
    BAD_TAG,
    /// Text that is not UTF-8.
    NOT_UTF8,
    /// A stored count that differs from the actual count.
    COUNT_MISMATCH,
    /// A record whose content is not of the kind stored in the index.
    KIND_MISMATCH,
    /// A move that does not exist in the game.
    BAD_MOVE,
    /// A move that does not change the board.
    ILLEGAL_MOVE,
    /// A board that does not follow from the board and the move before it.
    BAD_TRANSITION,
    /// A stored legality that differs from the legality of the board.
    LEGALITY_MISMATCH,
    /// A move that creates a tile too large for the board's encoding.
    TILE_OVERFLOW,
    /// An SQLite database that cannot be read, or whose tables are not the expected ones.
    BAD_DATABASE,
    /// Groups of rows that overlap, or lie outside the rows.
    BAD_GROUPS,
    /// Changes that another program has started but not committed.
    UNCOMMITTED,
    /// A step of a run lacks the branch values that the dataset needs.
    MISSING_BRANCHES,
    /// A run with more steps than a step index can number.
    RUN_TOO_LONG,
    /// A row whose run id or step index does not match its position.
    BAD_RUN_ID,
    /// The dataset has no records but needs some.
    EMPTY,
    /// A file that cannot be opened or read.
    IO,
    /// A type tag that this program does not know.
    BAD_DTYPE,
    /// A file whose rows are wider or narrower than those of the first file.
    WIDTH_MISMATCH,
    /// Rows with no columns.
    ZERO_WIDTH,
    /// The product or sum of sizes in a header does not fit in 63 bits.
    HEADER_OVERFLOW,
    /// A file that was changed while it was open.
    SHARD_CHANGED,
    /// The same file was given twice, so its rows are counted twice.
    DUPLICATE_SHARD,
    /// A value that is infinite or not a number.
    NON_FINITE
}
