// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Progress;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.simulation.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

/// Threads change a [HybridTree], read it and write snapshots of it.
final class TreeSimulation extends Simulation {
    private static final Path HOME = Path.of("/disk");
    private static final Path FILE = HOME.resolve("tree.act");
    private static final int OPERATION_COUNT = 70;
    private static final String[] KEYS = {"a", "ab", "abc", "abd", "b", "ba", "c"};

    /// The content after each change of this process, beginning with the content of the file.
    private final List<TreeMap<String, Long>> states = new ArrayList<>(List.of(new TreeMap<>()));
    /// The state that the file has at least.
    private int acknowledged;

    private HybridTree tree;

    TreeSimulation(long seed) {
        super(seed, OPERATION_COUNT);
    }

    @Override
    protected MemoryDisk files() {
        return new MemoryDisk().addFolder(HOME);
    }

    @Override
    protected void begin() throws IOException {
        TreeWriter.Options options = TreeWriter.Options.DEFAULT.withDisk(disk());
        tree = null;
        while (tree == null) {
            tried("open", () -> tree = HybridTree.open(FILE, options));
        }
        work("changes", this::change);
        work("snapshots", this::snapshot);
        work("more snapshots", this::snapshot);
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    private String key() {
        return KEYS[random.nextInt(KEYS.length)];
    }

    private void change() throws IOException {
        for (int i = 0; i < 25; i++) {
            String key = key();
            TreeMap<String, Long> next = new TreeMap<>(states.getLast());
            if (random.nextInt(4) == 0) {
                tree.remove(bytes(key));
                next.remove(key);
            } else {
                long value = random.nextInt();
                tree.put(bytes(key), value);
                next.put(key, value);
            }
            states.add(next);
            // Looking at a file is a point at which other threads may go on.
            disk().exists(FILE);
            requireRead(key());
        }
    }

    private void requireRead(String key) {
        OptionalLong found = tree.get(bytes(key));
        Long expected = states.getLast().get(key);
        OptionalLong wanted = expected == null ? OptionalLong.empty() : OptionalLong.of(expected);
        require(found.equals(wanted), key + " is " + found + " and not " + wanted);
    }

    private void snapshot() throws IOException {
        for (int i = 0; i < 3; i++) {
            int least = states.size() - 1;
            if (tried("snapshot of state " + least + " or later", tree::snapshot)) {
                acknowledged = Math.max(acknowledged, least);
            }
            requireRead(key());
            disk().exists(FILE);
        }
    }

    @Override
    protected void end() throws IOException {
        tree.snapshot();
        acknowledged = states.size() - 1;
        for (String key : KEYS) {
            requireRead(key);
        }
        tree.close();
        List<Path> left = disk().list(HOME);
        require(left.equals(List.of(FILE)), "files are left: " + left);
        require(left.stream().noneMatch(NewFile::isTemporary), "temporary files are left");
    }

    @Override
    protected void check() throws IOException {
        TreeMap<String, Long> found = read();
        int state = states.size() - 1;
        while (state >= acknowledged && !states.get(state).equals(found)) {
            state--;
        }
        require(
                state >= acknowledged,
                "found " + found + ", but state " + acknowledged + " was acknowledged: " + states.get(acknowledged));
        states.clear();
        states.add(found);
        acknowledged = 0;
    }

    private TreeMap<String, Long> read() throws IOException {
        TreeMap<String, Long> found = new TreeMap<>();
        if (!disk().exists(FILE)) {
            return found;
        }
        try (TreeReader reader = TreeReader.open(FILE, TreeReader.Options.DEFAULT.withDisk(disk()))) {
            require(reader.verify(Progress.NONE).isOk(), "the tree is damaged");
            TreeScan scan = reader.scan();
            while (scan.next()) {
                String key = new String(scan.pathBytes(), 0, scan.pathSize(), StandardCharsets.US_ASCII);
                found.put(key, scan.value());
            }
        }
        return found;
    }
}
