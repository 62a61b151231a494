// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Fingerprint;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.memory.Faults;
import dev.penstock.memory.FormatOptions;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.Parallel;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// An open tree: looks up paths, goes through them in order, and checks the file.
///
/// Opening looks at the first and the last bytes only, whatever the size. What a lookup comes across is checked
/// on the way, so that a damaged or hostile file gives a [DatasetException] or an answer from inside the file,
/// after at most as many steps as the file has bytes.
///
/// Values are unsigned: a `long` holds all 64 bits of them.
///
/// **Ownership.** Owns the mapping. Scans and cursors are views into it and die with the reader.
///
/// **Threads.** Any number on one reader; each scan and each cursor belongs to one.
public final class TreeReader implements AutoCloseable {
    /// How to read a tree. A tree that is not mapped is read into memory as a whole when it is opened. A
    /// mapped one that is larger than the memory budget is read without readahead once paths are looked up.
    ///
    /// @param reading  what all formats share
    /// @param isStrict whether to refuse what no writer makes, though it could be read; see [TreeFormat]
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
    /// @throws DatasetException when it is none, or damaged
    public static TreeReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a tree in a certain way.
    public static TreeReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a tree that is a local file, or an object of the store of the options.
    public static TreeReader open(Location location, Options options) throws IOException {
        OpenFile file = OpenFile.open(location, options.reading());
        try {
            return file.use(() -> read(options, file));
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    private static TreeReader read(Options options, OpenFile file) throws IOException {
        long root = TreeHeader.read(file).root();
        TreeBytes bytes = new TreeBytes(file.location(), file.whole(), options.isStrict());
        try {
            TreeLookup lookup = new TreeLookup(bytes, root, options.memoryBytes());
            if (options.isStrict()) {
                TreeTrailer.requirePlausible(bytes, root);
            }
            return new TreeReader(file, bytes, root, lookup);
        } catch (IndexOutOfBoundsException e) {
            throw bytes.explained(e);
        }
    }

    /// Where the tree was opened from.
    public Location location() {
        return file.location();
    }

    /// Bytes of the file.
    public long bytes() {
        return file.size();
    }

    /// Where the root node is.
    public long root() {
        return root;
    }

    /// The roots that the file has had, the present one first: more than one when a program has merged into it.
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

    /// The value of a path, or another number when it has none.
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

    /// The values of many paths at once, which is faster than one by one, most of all when they are sorted: large
    /// batches are divided among threads.
    ///
    /// @param values gets the value of each path that has one, and `otherwise` for those that have none
    /// @return how many have one
    public int get(List<byte[]> paths, long[] values, long otherwise) {
        if (values.length < paths.size()) {
            throw new IllegalArgumentException(
                    "room for " + values.length + " values where there are " + paths.size() + " paths");
        }
        return guarded(() -> {
            try {
                return new TreeBatch(bytes, lookup, paths, values, otherwise).get(Parallel.defaultThreads());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /// How many paths that begin with a prefix have a value; `Long.MAX_VALUE` stands for that many and more.
    public long count(byte[] prefix) {
        return cursor(prefix).count();
    }

    /// How many paths have a value. Goes through the whole tree: the format keeps no count.
    public long count() {
        return count(EMPTY);
    }

    /// The bytes that lead on from a path, in ascending order; none when it does not exist.
    public byte[] children(byte[] path) {
        return cursor(path).children();
    }

    /// All paths in order.
    public TreeScan scan() {
        return scanRange(EMPTY, null);
    }

    /// All paths that begin with a prefix, in order.
    public TreeScan scanPrefix(byte[] prefix) {
        return TreeScan.ofPrefix(bytes, lookup, root, prefix);
    }

    /// All paths from one on and before another, in order.
    ///
    /// @param limit the first that is too large, or null
    public TreeScan scanRange(byte[] from, byte[] limit) {
        return TreeScan.ofRange(bytes, lookup, root, from, limit, false);
    }

    /// All paths in order and, among them, those that end without a value: what it takes to write the tree again.
    /// A root without anything below it is not among them.
    public TreeScan scanEnds() {
        return TreeScan.ofRange(bytes, lookup, root, EMPTY, null, true);
    }

    /// A cursor at the root.
    public TreeCursor cursor() {
        return cursor(EMPTY);
    }

    /// A cursor whose root is a path, which need not exist.
    public TreeCursor cursor(byte[] rootPath) {
        return new TreeCursor(bytes, lookup, root, rootPath);
    }

    /// Looks at every node that can be reached and lists what is wrong.
    public Verification verify(Progress progress) {
        return guarded(() -> new TreeVerifier(bytes, root, progress).verify());
    }

    /// Counts what the file is made of.
    public TreeStats stats() {
        return guarded(() -> TreeStats.of(bytes, root));
    }

    /// Whether the file is, byte for byte, what [TreeWriter] makes of its paths with the usual options. Goes
    /// through the whole tree, and through each path of a shared subtree.
    public boolean isCanonical() throws IOException {
        return file.use(() -> CanonicalCheck.isCanonical(this, bytes.segment()));
    }

    /// A text that is the same for the same file: of its first bytes, its last, and samples of the rest, of
    /// [Fingerprint#SAMPLED_WHOLE_MAX] bytes altogether. A change between the samples is not noticed.
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
        return lookup.pages().isScattered();
    }

    /// Holds the mapping until [#release], whoever closes the reader.
    ///
    /// @return false when it is closed already
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
        file.acquire();
        try {
            return bytes.read(use);
        } finally {
            file.release();
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
