// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Faults;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// A reader for trees: looks up paths, scans them in order, and verifies the file.
///
/// Opening reads the first and the last bytes only, for any size. Lookups check the nodes they visit, so that a
/// damaged or malicious file gives a [DatasetException] or an answer from inside the file, after at most as many
/// steps as the file has bytes.
///
/// Values are unsigned: a `long` holds all 64 bits.
///
/// A tree is not a `Dataset`: it has keys and no record indices; `Catalog` only recognises it. Numbering its
/// keys would take a pass over the file, which opening must not.
///
/// [TreeReader] checks nodes when it reads them and follows only references that lead backwards. Opening takes
/// constant time, and no file can make a lookup loop.
///
/// **Ownership.** Owns the mapping. Scans are views into it and are valid until the reader is closed.
///
/// **Threads.** A reader is safe for any number of threads; each scan belongs to one thread.
public final class TreeReader implements AutoCloseable {
    /// Options for reading a tree. A tree that is not mapped is read into memory as a whole when it is opened. A
    /// mapped tree that is larger than the memory budget is read without readahead once paths are looked up.
    ///
    /// @param reading  the options that all formats share
    /// @param isStrict whether to reject readable deviations that no known writer produces; see [TreeFormat]
    public record Options(ReaderOptions reading, boolean isStrict) implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, true);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isStrict);
        }

        public Options withStrict(boolean isStrict) {
            return new Options(reading, isStrict);
        }
    }

    private static final byte[] EMPTY = {};

    private final OpenFile file;
    private final TreeBytes bytes;
    private final long root;
    private final TreeLookup lookup;

    private TreeReader(OpenFile file, TreeBytes bytes, long root, TreeLookup lookup) {
        this.file = file;
        this.bytes = bytes;
        this.root = root;
        this.lookup = lookup;
    }

    /// Opens a tree, strictly.
    ///
    /// @throws DatasetException when the file is not a tree, or is damaged
    public static TreeReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a tree with options.
    public static TreeReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a tree that is a local file, or an object of the remote store in the options.
    public static TreeReader open(Location location, Options options) throws IOException {
        return OpenFile.open(location, options.reading(), file -> read(options, file));
    }

    private static TreeReader read(Options options, OpenFile file) throws IOException {
        long root = TreeHeader.read(file).root();
        TreeBytes bytes = new TreeBytes(file.location(), file.whole(), options.isStrict());
        try {
            TreeLookup lookup = new TreeLookup(file, bytes, root);
            TreeTrailer.requirePlausible(bytes, root);
            return new TreeReader(file, bytes, root, lookup);
        } catch (IndexOutOfBoundsException e) {
            throw bytes.explained(e);
        }
    }

    /// The location the tree was opened from.
    public Location location() {
        return file.location();
    }

    /// The size of the file in bytes.
    public long bytes() {
        return file.size();
    }

    /// The offset of the root node.
    public long root() {
        return root;
    }

    /// The roots that the file has had, the current one first; more than one if a program has merged into the
    /// tree.
    public List<Long> rootHistory() {
        return guarded(() -> TreeTrailer.history(bytes, root));
    }

    /// The value of a path.
    public OptionalLong get(byte[] path) {
        if (lookup.isForeign(path)) {
            return OptionalLong.empty();
        }
        return bytes.read(() -> {
            long offset = lookup.valueOffset(path);
            return offset == TreeLookup.ABSENT ? OptionalLong.empty() : OptionalLong.of(bytes.varint(offset));
        });
    }

    /// The value of a path, or a default when it has none.
    public long get(byte[] path, long otherwise) {
        if (lookup.isForeign(path)) {
            return otherwise;
        }
        try {
            long offset = lookup.valueOffset(path);
            long value = offset == TreeLookup.ABSENT ? otherwise : bytes.varint(offset);
            Faults.settle();
            return value;
        } catch (RuntimeException | InternalError e) {
            throw bytes.explained(e);
        }
    }

    /// Whether a path has a value.
    public boolean contains(byte[] path) {
        return get(path).isPresent();
    }

    /// Looks up many paths at once. This is faster than one by one, especially when they are sorted. Large batches
    /// are divided among threads.
    ///
    /// @param values receives the value of each path, and `otherwise` for paths without one
    /// @return the number of paths that have a value
    public int get(List<byte[]> paths, long[] values, long otherwise) {
        if (values.length < paths.size()) {
            throw new IllegalArgumentException(
                    "the array has " + values.length + " values, but there are " + paths.size() + " paths");
        }
        try {
            return file.use(() -> new TreeBatch(lookup, paths, values, otherwise).get(Parallel.defaultThreads()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The number of paths with a value that begin with a prefix; `Long.MAX_VALUE` stands for that number or more.
    public long count(byte[] prefix) {
        return bytes.read(() -> position(prefix).count());
    }

    /// The number of paths with a value. This goes through the whole tree, because the format does not store the
    /// count.
    public long count() {
        return count(EMPTY);
    }

    /// The bytes that lead on from a path, in ascending order; empty when it does not exist.
    public byte[] children(byte[] path) {
        return bytes.read(() -> position(path).children());
    }

    /// Scans all paths in order.
    public TreeScan scan() {
        return scanRange(EMPTY, null);
    }

    /// Scans all paths that begin with a prefix, in order.
    public TreeScan scanPrefix(byte[] prefix) {
        return scanRange(prefix, TreeScan.afterPrefix(prefix));
    }

    /// Scans all paths from one (inclusive) to another (exclusive), in order.
    ///
    /// @param limit the exclusive end, or null
    public TreeScan scanRange(byte[] from, byte[] limit) {
        return bytes.read(() -> new TreeScan(lookup, from, limit, false));
    }

    /// Scans all paths in order, including those that end without a value, which are needed to write the tree
    /// again. An empty root is not included.
    public TreeScan scanEnds() {
        return bytes.read(() -> new TreeScan(lookup, EMPTY, null, true));
    }

    /// The position of a path, which need not exist.
    TreePosition position(byte[] path) {
        return bytes.read(() -> new TreePosition(lookup, path));
    }

    /// Checks every reachable node and lists the problems.
    public Verification verify(Progress progress) {
        return guarded(() -> new TreeVerifier(bytes, progress).verify(root));
    }

    /// Counts the parts of the file.
    public TreeStats stats() {
        return guarded(() -> TreeSurvey.stats(bytes, root));
    }

    /// Whether the file is byte for byte the output of [TreeWriter] for its paths with default options. This goes
    /// through the whole tree, and through each path of a shared subtree.
    public boolean isCanonical() throws IOException {
        return file.use(() -> CanonicalCheck.isCanonical(this, bytes.segment()));
    }

    /// A text that is the same for the same file. It covers the first bytes, the last bytes, and samples of the
    /// rest, [Fingerprint#SAMPLED_WHOLE_MAX] bytes in total. A change between the samples is not noticed.
    public String fingerprint() throws IOException {
        return file.use(() -> new Fingerprint("tree " + TreeFormat.VERSION)
                .addSample(file.size(), file::read)
                .text());
    }

    /// Whether [#fingerprint] covers the whole file.
    public boolean isFingerprintExact() {
        return file.size() <= Fingerprint.SAMPLED_WHOLE_MAX;
    }

    /// The fingerprint of every byte of the file. It differs from [#fingerprint].
    public String fullFingerprint(Progress progress) throws IOException {
        return file.use(() -> {
            Fingerprint fingerprint = new Fingerprint("tree full " + TreeFormat.VERSION);
            long[] done = new long[1];
            file.forEachPiece(0, file.size(), piece -> {
                fingerprint.add(piece);
                progress.at(done[0] += piece.byteSize(), file.size());
            });
            return fingerprint.text();
        });
    }

    /// Whether the tree was found to be larger than its memory budget, so that the system does not read ahead.
    boolean isScattered() {
        return lookup.isScattered();
    }

    /// Holds the mapping until [#release], even if the reader is closed.
    ///
    /// @return false when it is already closed
    boolean acquire() {
        try {
            file.acquire();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    void release() {
        file.release();
    }

    private <T> T guarded(Supplier<T> use) {
        return file.use(() -> bytes.read(use));
    }

    @Override
    public void close() {
        file.close();
    }
}
