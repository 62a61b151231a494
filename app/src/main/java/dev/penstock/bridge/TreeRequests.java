// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.file.Location;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.TreeDescription;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import dev.penstock.tree.TreeSorter;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Requests about trees, which have paths and values instead of records.
final class TreeRequests {
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private TreeRequests() {}

    /// Answers the requests whose verbs begin with "tree".
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "treeCount" -> count(request);
            case "treeFingerprint" -> fingerprint(request);
            case "treeFullFingerprint" -> fullFingerprint(request);
            case "treeVerify" -> verify(request);
            case "treeGet" -> get(request);
            case "treeSort" -> sort(request);
            case "treeSortMore" -> sortMore(request);
            case "treeSortFinish" -> sortFinish(request);
            case "treeChildren" -> children(request);
            case "treeStats" -> stats(request);
            case "treeScan" -> scan(request);
            case "treeNext" -> next(request);
            case String verb -> throw new IllegalArgumentException("there is no request " + verb);
        };
    }

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

    /// Sorts paths that come in any order, and writes them as a tree.
    private record Sorting(TreeSorter sorter, Path target, TreeWriter.Options options) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            sorter.close();
        }
    }

    /// Begins a tree of paths in any order.
    static Object sort(Request request) throws IOException {
        Path target = Path.of(request.text("path"));
        TreeWriter.Options options = TreeWriter.Options.DEFAULT
                .withReplacing(request.isTrue("overwrite"))
                .withSharing(request.isTrue("share"));
        if (!request.isTrue("overwrite") && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        TreeSorter sorter = TreeSorter.create(target, request.number("memory"), options.disk());
        request.keep(new Sorting(sorter, target, options));
        return null;
    }

    /// Adds paths that are stored one after another, and their values.
    static Object sortMore(Request request) throws IOException {
        List<byte[]> paths = paths(request);
        MemorySegment values = request.memory("values");
        TreeSorter sorter = request.object("handle", Sorting.class).sorter();
        for (int i = 0; i < paths.size(); i++) {
            byte[] path = paths.get(i);
            sorter.append(path, 0, path.length, values.getAtIndex(WORD, i));
        }
        return null;
    }

    /// Writes the tree.
    ///
    /// @return the number of paths, and of those that came again later
    static Object sortFinish(Request request) throws IOException {
        Sorting sorting = request.object("handle", Sorting.class);
        TreeSorter.Result[] result = new TreeSorter.Result[1];
        TreeWriter.write(
                sorting.target(),
                sorting.options(),
                writer -> result[0] = sorting.sorter().writeTo(writer));
        return List.of(result[0].keyCount(), result[0].duplicateCount());
    }

    /// The bytes that lead on from a path, as numbers.
    static Object children(Request request) {
        List<Long> children = new ArrayList<>();
        for (byte one : tree(request).children(path(request, "prefix"))) {
            children.add((long) (one & 0xFF));
        }
        return children;
    }

    static Object stats(Request request) throws IOException {
        Map<String, Object> figures = TreeDescription.of(tree(request).stats());
        figures.put("canonical", tree(request).isCanonical());
        return figures;
    }

    static byte[] path(Request request, String name) {
        return request.memory(name).toArray(ValueLayout.JAVA_BYTE);
    }

    /// The end of a scan: the end of a range, or the path after all that have the prefix; null for no end.
    static byte[] limit(Request request) {
        byte[] ofPrefix = TreeScan.afterPrefix(path(request, "prefix"));
        byte[] stop = request.has("stop") ? path(request, "stop") : null;
        return stop == null || ofPrefix != null && Arrays.compareUnsigned(ofPrefix, stop) < 0 ? ofPrefix : stop;
    }

    /// The begin of a scan: that of a range, or the prefix.
    static byte[] start(Request request) {
        byte[] prefix = path(request, "prefix");
        byte[] start = request.has("start") ? path(request, "start") : prefix;
        return Arrays.compareUnsigned(start, prefix) < 0 ? prefix : start;
    }

    /// Starts a scan of the paths with a prefix and between two paths.
    static Object scan(Request request) {
        request.keep(new TreeSource(tree(request).scanRange(start(request), limit(request))));
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
