// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// Reads a tree in every way there is, whatever its bytes are.
///
/// Each way gives an answer or a [DatasetException]; anything else that is thrown fails the test. Iteration is
/// stopped after a number of steps, because a small valid file may hold more paths than can be visited.
final class TreeProbe {
    /// The result of reading a tree.
    enum Outcome {
        REFUSED_AT_OPEN,
        /// Opened, but something was refused later.
        DAMAGED,
        /// Everything was answered.
        READ
    }

    private static final int STEPS_MAX = 2_000;
    private static final int DEPTH_MAX = 100;

    private final List<byte[]> keys;
    private boolean isRefused;

    TreeProbe(List<byte[]> keys) {
        this.keys = keys;
    }

    @FunctionalInterface
    private interface Way {
        void read(TreeReader tree);
    }

    Outcome read(byte[] file, boolean isStrict) throws IOException {
        isRefused = false;
        try (TreeReader tree = Trees.open(file, isStrict)) {
            for (byte[] key : keys) {
                attempt(tree, reader -> reader.get(key));
                attempt(tree, reader -> reader.children(key));
                attempt(tree, reader -> reader.scanPrefix(key).next());
            }
            attempt(tree, reader -> reader.get(keys, new long[keys.size()], 0));
            attempt(tree, TreeProbe::scan);
            attempt(tree, TreeProbe::walk);
            attempt(tree, TreeReader::count);
            attempt(tree, TreeReader::stats);
            attempt(tree, TreeReader::rootHistory);
            Verification verification = tree.verify(Progress.NONE);
            if (isStrict && !isRefused && !verification.isOk()) {
                // What verify calls an error is refused by some way of reading, though perhaps not by these few.
                isRefused = true;
            }
        } catch (DatasetException e) {
            return Outcome.REFUSED_AT_OPEN;
        }
        return isRefused ? Outcome.DAMAGED : Outcome.READ;
    }

    private void attempt(TreeReader tree, Way way) {
        try {
            way.read(tree);
        } catch (DatasetException e) {
            isRefused = true;
        }
    }

    private static void scan(TreeReader tree) {
        TreeScan scan = tree.scanEnds();
        for (int i = 0; i < STEPS_MAX && scan.next(); i++) {
            scan.path();
        }
    }

    /// Goes down by first children.
    private static void walk(TreeReader tree) {
        byte[] path = {};
        for (int i = 0; i < DEPTH_MAX; i++) {
            tree.position(path).value();
            byte[] children = tree.children(path);
            if (children.length == 0) {
                return;
            }
            path = Arrays.copyOf(path, path.length + 1);
            path[path.length - 1] = children[0];
        }
    }
}
