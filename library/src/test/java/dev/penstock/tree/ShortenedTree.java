// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// A program that reads a tree until the compiler has optimised the reading, shortens the file, and goes on
/// reading. [TreeLiveTruncationTest] runs it in a process of its own, since the wrong way of reading ends the
/// process.
///
/// Arguments: the file, the [Way] of reading, and the size to cut to. It prints what it met and exits with 42
/// when each read after the cut was refused as it should be.
final class ShortenedTree {
    static final int EXIT_REFUSED = 42;
    static final int EXIT_INTERNAL_ERROR = 43;
    static final int EXIT_RETURNED = 44;
    static final int EXIT_OTHER = 45;

    private static final int READS_AFTER = 20;

    /// A way of reading, and the number of calls after which its code is surely compiled.
    enum Way {
        GET(300_000),
        CONTAINS(300_000),
        BATCH(3_000),
        SCAN(60),
        PREFIX(30_000),
        COUNT(60),
        CHILDREN(30_000),
        VERIFY(40),
        STATS(30),
        FINGERPRINT(200),
        UNGUARDED(300_000);

        private final int warmCalls;

        Way(int warmCalls) {
            this.warmCalls = warmCalls;
        }
    }

    private final TreeReader tree;
    private final TreeLookup unguarded;
    private final List<byte[]> keys;
    private final Way way;
    private long seen;

    private ShortenedTree(TreeReader tree, TreeLookup unguarded, List<byte[]> keys, Way way) {
        this.tree = tree;
        this.unguarded = unguarded;
        this.keys = keys;
        this.way = way;
    }

    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        List<byte[]> keys = TreeKeySets.binary(20_000, 3, 16);
        int result;
        try (TreeReader tree = TreeReader.open(path);
                OpenFile file = OpenFile.open(path, ReaderOptions.DEFAULT)) {
            TreeBytes unguarded = new TreeBytes(Location.of(path), file.whole(), true);
            TreeLookup lookup = new TreeLookup(file, unguarded, tree.root());
            result = new ShortenedTree(tree, lookup, keys, Way.valueOf(arguments[1])).run(Long.parseLong(arguments[2]));
        } catch (InternalError e) {
            e.printStackTrace();
            result = EXIT_INTERNAL_ERROR;
        }
        System.exit(result);
    }

    private int run(long cutSize) throws IOException {
        for (int i = 0; i < way.warmCalls; i++) {
            read(i);
        }
        try (FileChannel channel = FileChannel.open(tree.location().path(), StandardOpenOption.WRITE)) {
            channel.truncate(cutSize);
        }
        for (int i = 0; i < READS_AFTER; i++) {
            int result = readAfter(i);
            if (result != EXIT_REFUSED) {
                System.out.println("read " + i + " after the cut: " + seen);
                return result;
            }
        }
        return EXIT_REFUSED;
    }

    private int readAfter(int round) throws IOException {
        try {
            return read(round) ? EXIT_RETURNED : EXIT_REFUSED;
        } catch (DatasetException.Corrupt e) {
            System.out.println(e.getMessage());
            return e.reason().equals(Reason.TRUNCATED) ? EXIT_REFUSED : EXIT_OTHER;
        } catch (InternalError e) {
            e.printStackTrace();
            return EXIT_INTERNAL_ERROR;
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            return EXIT_OTHER;
        }
    }

    /// Reads once.
    ///
    /// @return whether it went well; for those ways that do not throw
    private boolean read(int round) throws IOException {
        byte[] key = keys.get(round % keys.size());
        switch (way) {
            case GET -> seen += tree.get(key, 0);
            case CONTAINS -> seen += tree.contains(key) ? 1 : 0;
            case BATCH -> seen += tree.get(keys.subList(0, 100), new long[100], 0);
            case SCAN -> scan(tree.scan());
            case PREFIX -> scan(tree.scanPrefix(new byte[] {key[0], key[1]}));
            case COUNT -> seen += tree.count();
            case CHILDREN -> seen += tree.children(key).length;
            case STATS -> seen += tree.stats().lineCount();
            case FINGERPRINT -> seen += tree.fingerprint().length();
            case VERIFY -> {
                return tree.verify(Progress.NONE).isOk();
            }
            case UNGUARDED -> seen += unguarded.valueOffset(key);
        }
        return true;
    }

    private void scan(TreeScan scan) {
        while (scan.next()) {
            seen += scan.pathSize();
        }
    }
}
