// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Json;
import dev.penstock.TestData;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;

/// Trees in memory, for tests.
final class Trees {
    static final Path PATH = Path.of("/folder/test.act");

    private Trees() {}

    static Path golden(String name) {
        return TestData.path("tree").resolve(name);
    }

    /// The options with which the writer makes the files of the original, by the ends of their names.
    static TreeWriter.Options options(String writer) {
        TreeWriter.Options options = TreeWriter.Options.DEFAULT;
        TreeWriter.Options branch = options.withRootStyle(TreeWriter.RootStyle.BRANCH);
        return switch (writer) {
            case "w1" -> options;
            case "w2" -> branch;
            case "w2_c0" -> branch.withLineLimit(0);
            case "w2_c4" -> branch.withLineLimit(4);
            case "w2_262144" -> branch.withLineLimit(262_144);
            default -> throw new IllegalArgumentException(writer);
        };
    }

    static byte[] bytes(SortedMap<byte[], Long> map) throws IOException {
        return bytes(map, List.of(), TreeWriter.Options.DEFAULT);
    }

    /// The file of a map and of paths without values.
    static byte[] bytes(SortedMap<byte[], Long> map, Collection<byte[]> created, TreeWriter.Options options)
            throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(PATH.getParent());
        write(map, created, options.withDisk(disk));
        return disk.bytes(PATH);
    }

    static TreeWriter.Summary write(SortedMap<byte[], Long> map, Collection<byte[]> created, TreeWriter.Options options)
            throws IOException {
        if (created.isEmpty()) {
            return TreeWriter.write(PATH, map, value -> value, options);
        }
        TreeSet<byte[]> all = new TreeSet<>(Arrays::compareUnsigned);
        all.addAll(map.keySet());
        all.addAll(created);
        TreeWriter writer = TreeWriter.create(PATH, options);
        try (writer) {
            for (byte[] path : all) {
                Long value = map.get(path);
                if (value == null) {
                    writer.appendPath(path);
                } else {
                    writer.append(path, value);
                }
            }
        }
        return writer.summary();
    }

    static TreeReader open(byte[] file) throws IOException {
        return open(file, true);
    }

    static TreeReader open(byte[] file, boolean isStrict) throws IOException {
        MemoryDisk disk = new MemoryDisk().put(PATH, file);
        return TreeReader.open(PATH, TreeReader.Options.DEFAULT.withDisk(disk).withStrict(isStrict));
    }

    /// Everything a scan gives.
    static SortedMap<byte[], Long> read(TreeScan scan) {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        byte[] before = null;
        while (scan.next()) {
            byte[] path = scan.path();
            if (before != null && Arrays.compareUnsigned(before, path) >= 0) {
                throw new AssertionError("out of order: " + KeyText.of(path));
            }
            before = path;
            map.put(path, scan.value());
        }
        return map;
    }

    /// Fails unless a scan gives exactly a map.
    static void requireEqual(Map<byte[], Long> map, TreeScan scan) {
        for (Map.Entry<byte[], Long> entry : map.entrySet()) {
            byte[] key = entry.getKey();
            if (!scan.next()
                    || !Arrays.equals(key, 0, key.length, scan.pathBytes(), 0, scan.pathSize())
                    || entry.getValue() != scan.value()) {
                throw new AssertionError("instead of " + KeyText.of(key) + " came " + KeyText.of(scan.path()));
            }
        }
        if (scan.next()) {
            throw new AssertionError("after the end came " + KeyText.of(scan.path()));
        }
    }

    /// A map as text that can be compared and printed.
    static String text(Map<byte[], Long> map) {
        StringBuilder text = new StringBuilder();
        map.forEach((key, value) -> text.append(HexFormat.of().formatHex(key))
                .append('=')
                .append(Long.toUnsignedString(value))
                .append('\n'));
        return text.toString();
    }

    static List<byte[]> lengthPrefixed(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> items = new ArrayList<>();
        while (buffer.hasRemaining()) {
            byte[] item = new byte[buffer.getInt()];
            buffer.get(item);
            items.add(item);
        }
        return items;
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /// The lines of a file of JSON objects.
    static List<Json> jsonLines(Path file) throws IOException {
        List<Json> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            lines.add(Json.parse(line));
        }
        return lines;
    }

    /// The key sets of other people's files, which are not copied into the project.
    static Path bigLogic() {
        String folder = System.getenv("PENSTOCK_EXTRA_DATA");
        Path file = folder == null ? null : Path.of(folder, "big_logic.metta.paths");
        Assumptions.assumeTrue(file != null && Files.exists(file), "needs PENSTOCK_EXTRA_DATA/big_logic.metta.paths");
        return file;
    }
}
