// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.file.Location;
import dev.penstock.plugin.Description;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Requests about trees, which have paths and values instead of records.
final class TreeRequests {
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private TreeRequests() {}

    static Object open(Request request, Location path, TreeReader.Options options) throws IOException {
        TreeReader tree = TreeReader.open(path, options);
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", tree.location().toString());
        description.put("format", "tree");
        description.put("bytes", tree.bytes());
        request.keep(tree);
        return description;
    }

    private static TreeReader tree(Request request) {
        return request.object("handle", TreeReader.class);
    }

    static Object count(Request request) {
        return tree(request).count(request.memory("prefix").toArray(ValueLayout.JAVA_BYTE));
    }

    static Object fullFingerprint(Request request) throws IOException {
        return tree(request).fullFingerprint(Progress.NONE);
    }

    static Object fingerprint(Request request) throws IOException {
        return tree(request).fingerprint();
    }

    static Object verify(Request request) {
        return Description.of(tree(request).verify(Progress.NONE));
    }

    /// Looks up paths that are stored one after another, and writes their values and a 1 for each path that
    /// exists.
    static Object get(Request request) {
        List<byte[]> paths = paths(request);
        long[] values = new long[paths.size()];
        int foundCount = tree(request).get(paths, values, 0);
        MemorySegment found = request.memory("found");
        found.fill((byte) 1);
        if (foundCount < values.length) {
            // If the result depends on the default for missing paths, the path is missing.
            long[] others = new long[values.length];
            tree(request).get(paths, others, 1);
            for (int i = 0; i < values.length; i++) {
                found.set(ValueLayout.JAVA_BYTE, i, (byte) (values[i] == others[i] ? 1 : 0));
            }
        }
        MemorySegment.copy(values, 0, request.memory("values"), WORD, 0, values.length);
        return foundCount;
    }

    static List<byte[]> paths(Request request) {
        MemorySegment bytes = request.memory("paths");
        MemorySegment offsets = request.memory("offsets");
        long count = offsets.byteSize() / WORD.byteSize() - 1;
        List<byte[]> paths = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            long start = offsets.getAtIndex(WORD, i);
            paths.add(bytes.asSlice(start, offsets.getAtIndex(WORD, i + 1) - start)
                    .toArray(ValueLayout.JAVA_BYTE));
        }
        return paths;
    }

    /// Writes a tree from paths in ascending order and their values.
    static Object write(Request request) throws IOException {
        List<byte[]> paths = paths(request);
        MemorySegment values = request.memory("values");
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withReplacing(request.isTrue("overwrite"));
        TreeWriter.write(Path.of(request.text("path")), options, writer -> {
            for (int i = 0; i < paths.size(); i++) {
                writer.append(paths.get(i), values.getAtIndex(WORD, i));
            }
        });
        return null;
    }

    /// Starts a scan of the paths with a prefix.
    static Object scan(Request request) {
        byte[] prefix = request.memory("prefix").toArray(ValueLayout.JAVA_BYTE);
        request.keep(new TreeSource(tree(request).scanPrefix(prefix)));
        return null;
    }

    /// Returns the next paths of a scan, described at the address `info`.
    ///
    /// @return whether there were any
    static Object next(Request request) {
        HeldBatch held = request.object("handle", TreeSource.class).next();
        if (held == null) {
            return false;
        }
        held.describe(request.memory("info"));
        request.keep(held);
        return true;
    }
}
