// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Why bytes were rejected, or what `verify` found. Scripts read the name, which `verify --json` prints.
///
/// The constants are the reasons of the library's own formats. A format of another module adds its reasons as
/// constants of its own. Reasons with the same name are equal.
///
/// @param name the words of the reason in capitals, such as `BAD_MAGIC`
public record Reason(String name) {
    /// The first bytes are not the magic number of the format.
    public static final Reason BAD_MAGIC = new Reason("BAD_MAGIC");
    /// The format is known, but this version of it cannot be read.
    public static final Reason UNSUPPORTED_VERSION = new Reason("UNSUPPORTED_VERSION");
    /// The file ends before the content that its header announces.
    public static final Reason TRUNCATED = new Reason("TRUNCATED");
    /// A stored checksum differs from the checksum of the bytes.
    public static final Reason CHECKSUM = new Reason("CHECKSUM");
    /// The product or sum of stored counts or sizes does not fit in 63 bits.
    public static final Reason SIZE_OVERFLOW = new Reason("SIZE_OVERFLOW");
    /// An offset or a size points outside the region it belongs to.
    public static final Reason OUT_OF_RANGE = new Reason("OUT_OF_RANGE");
    /// The stored end of the data is not the end of the last record.
    public static final Reason DATA_END_MISMATCH = new Reason("DATA_END_MISMATCH");
    /// A record kind that this program does not know.
    public static final Reason UNKNOWN_KIND = new Reason("UNKNOWN_KIND");
    /// A flag that this program does not know, so the record cannot be interpreted.
    public static final Reason UNKNOWN_FLAGS = new Reason("UNKNOWN_FLAGS");
    /// Compressed bytes that cannot be decompressed, or decompress to an unexpected size.
    public static final Reason BAD_COMPRESSION = new Reason("BAD_COMPRESSION");
    /// A table of record names that is inconsistent.
    public static final Reason BAD_NAMES = new Reason("BAD_NAMES");
    /// A page of the file could not be read from the device.
    public static final Reason READ_FAULT = new Reason("READ_FAULT");
    /// Reserved or padding bytes that are not zero.
    public static final Reason NONZERO_PADDING = new Reason("NONZERO_PADDING");
    /// Readable content in a form that no known writer produces.
    public static final Reason NOT_CANONICAL = new Reason("NOT_CANONICAL");
    /// Records that are not stored in the order of their indices.
    public static final Reason UNSORTED = new Reason("UNSORTED");
    /// Records that share bytes.
    public static final Reason OVERLAP = new Reason("OVERLAP");
    /// Statistics inside the file that contradict its content or their own bounds.
    public static final Reason BAD_STATS = new Reason("BAD_STATS");
    /// A header that is not valid in this format.
    public static final Reason BAD_HEADER = new Reason("BAD_HEADER");
    /// Values of a type that cannot be read, such as Python objects.
    public static final Reason UNSUPPORTED_TYPE = new Reason("UNSUPPORTED_TYPE");
    /// Extra bytes after the last record.
    public static final Reason TRAILING_BYTES = new Reason("TRAILING_BYTES");
    /// A damaged manifest, the list of files of a dataset.
    public static final Reason BAD_MANIFEST = new Reason("BAD_MANIFEST");
    /// A file of the dataset is missing.
    public static final Reason MISSING_SHARD = new Reason("MISSING_SHARD");
    /// A file that differs from the other files of its dataset, or from its entry in the manifest.
    public static final Reason SHARD_MISMATCH = new Reason("SHARD_MISMATCH");
    /// A file in the folder of the dataset that the manifest does not list.
    public static final Reason UNLISTED_SHARD = new Reason("UNLISTED_SHARD");
    /// A number in a variable-length encoding that is too long or too large.
    public static final Reason BAD_VARINT = new Reason("BAD_VARINT");
    /// A tag that the format does not define.
    public static final Reason BAD_TAG = new Reason("BAD_TAG");
    /// Text that is not UTF-8.
    public static final Reason NOT_UTF8 = new Reason("NOT_UTF8");
    /// A stored count that differs from the actual count.
    public static final Reason COUNT_MISMATCH = new Reason("COUNT_MISMATCH");
    /// A record whose content is not of the kind stored in the index.
    public static final Reason KIND_MISMATCH = new Reason("KIND_MISMATCH");
    /// The dataset has no records but needs some.
    public static final Reason EMPTY = new Reason("EMPTY");
    /// A file that cannot be opened or read.
    public static final Reason IO = new Reason("IO");
    /// A type tag that this program does not know.
    public static final Reason BAD_DTYPE = new Reason("BAD_DTYPE");
    /// A file whose rows are wider or narrower than those of the first file.
    public static final Reason WIDTH_MISMATCH = new Reason("WIDTH_MISMATCH");
    /// Rows with no columns.
    public static final Reason ZERO_WIDTH = new Reason("ZERO_WIDTH");
    /// The product or sum of sizes in a header does not fit in 63 bits.
    public static final Reason HEADER_OVERFLOW = new Reason("HEADER_OVERFLOW");
    /// A file that was changed while it was open.
    public static final Reason SHARD_CHANGED = new Reason("SHARD_CHANGED");
    /// The same file was given twice, so its rows are counted twice.
    public static final Reason DUPLICATE_SHARD = new Reason("DUPLICATE_SHARD");
    /// A value that is infinite or not a number.
    public static final Reason NON_FINITE = new Reason("NON_FINITE");
    /// A line of text does not have the parts that it must have.
    public static final Reason BAD_LINE = new Reason("BAD_LINE");
    /// The program or package that reads the data could not read it.
    public static final Reason UNREADABLE = new Reason("UNREADABLE");

    @Override
    public String toString() {
        return name;
    }
}
