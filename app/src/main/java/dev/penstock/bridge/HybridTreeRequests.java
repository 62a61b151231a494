// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.tree.HybridTree;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/// Requests about trees that can be changed. Paths and values are passed as in [TreeRequests].
final class HybridTreeRequests {
    private HybridTreeRequests() {}

    static Object open(Request request) throws IOException {
        Path path = Path.of(request.text("path"));
        request.keep(request.isTrue("readOnly") ? HybridTree.openToCopy(path) : HybridTree.open(path));
        return null;
    }

    private static HybridTree tree(Request request) {
        return request.object("handle", HybridTree.class);
    }

    /// Sets the values of paths.
    static Object put(Request request) {
        List<byte[]> paths = TreeRequests.paths(request);
        MemorySegment values = request.memory("values");
        HybridTree tree = tree(request);
        for (int i = 0; i < paths.size(); i++) {
            tree.put(paths.get(i), values.getAtIndex(TreeRequests.WORD, i));
        }
        return null;
    }

    static Object remove(Request request) {
        HybridTree tree = tree(request);
        TreeRequests.paths(request).forEach(tree::remove);
        return null;
    }

    /// Writes the values of paths, and a 1 for each path that exists.
    static Object get(Request request) {
        List<byte[]> paths = TreeRequests.paths(request);
        MemorySegment values = request.memory("values");
        MemorySegment found = request.memory("found");
        HybridTree tree = tree(request);
        for (int i = 0; i < paths.size(); i++) {
            OptionalLong value = tree.get(paths.get(i));
            values.setAtIndex(TreeRequests.WORD, i, value.orElse(0));
            found.set(ValueLayout.JAVA_BYTE, i, (byte) (value.isPresent() ? 1 : 0));
        }
        return null;
    }

    static Object scan(Request request) {
        byte[] start = TreeRequests.start(request);
        request.keep(new TreeSource(tree(request).scanRange(start, TreeRequests.limit(request))));
        return null;
    }

    static Object changeCount(Request request) {
        return tree(request).changeCount();
    }

    /// Writes a snapshot, over the tree itself or to the path `target`.
    ///
    /// @return the number of paths in the snapshot
    static Object snapshot(Request request) throws IOException {
        HybridTree tree = tree(request);
        if (!request.has("target")) {
            return tree.snapshot().keyCount();
        }
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withReplacing(request.isTrue("overwrite"));
        return tree.snapshotTo(Path.of(request.text("target")), options, Progress.NONE)
                .keyCount();
    }
}
