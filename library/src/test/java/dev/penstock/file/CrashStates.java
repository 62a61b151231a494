// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.file.RecordingDisk.Operation;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The states in which a crash can leave a disk, one crash after each of the recorded operations.
///
/// A killed process leaves all it did. A power cut keeps what was forced; writes that were not may be lost,
/// kept in part or in any order, torn at a sector, or leave zeros; names that were not forced may be the
/// old or the new ones. Of these combinations a bounded choice is tried: every prefix of the pending names
/// and a random subset of them, each with every [Loss]. Many of them leave the same disk, for example when
/// nothing was written since the last force; equal disks after the same operation are visited once.
public final class CrashStates {
    /// The violations after which a test need not look at further states.
    public static final int VIOLATIONS_MAX = 3;

    private static final int SECTOR_SIZE = 512;
    private static final int NAME_PREFIXES_MAX = 6;

    /// Stands for a folder among the names.
    private static final int FOLDER = Integer.MIN_VALUE;

    /// Stands for a folder where a file has its bytes.
    private static final Object FOLDER_CONTENT = new Object();

    private final Map<Integer, Node> nodes = new HashMap<>();
    private final Map<Path, Integer> names = new TreeMap<>();
    private final Map<Path, Integer> durableNames = new TreeMap<>();
    private final List<NameChange> pendingNames = new ArrayList<>();
    private final MemoryDisk initial;
    private final Random random;

    private CrashStates(MemoryDisk initial, Random random) {
        this.initial = initial;
        this.random = random;
        for (Path file : initial.files()) {
            Integer linked = names.get(initial.firstName(file));
            int fileId = linked == null ? -1 - nodes.size() : linked;
            nodes.computeIfAbsent(fileId, id -> new Node(initial.bytes(file)));
            names.put(file, fileId);
        }
        durableNames.putAll(names);
    }

    /// One possible disk.
    ///
    /// @param operationCount the operations done before the crash
    /// @param how            the crash in words, for the message of a failing test
    public record State(int operationCount, String how, MemoryDisk disk) {}

    /// Hands each state to a visitor, crash by crash: first that of the killed process, of which a visitor may
    /// expect most, then those of a power cut that differ from it and from each other.
    ///
    /// @param initial the disk before the first operation
    /// @return the number of states, including those that are equal
    public static long forEach(MemoryDisk initial, List<Operation> operations, Random random, Consumer<State> visitor) {
        CrashStates states = new CrashStates(initial, random);
        long stateCount = states.visit(0, visitor);
        for (int i = 0; i < operations.size(); i++) {
            states.apply(operations.get(i));
            stateCount += states.visit(i + 1, visitor);
        }
        return stateCount;
    }

    /// Hands only the states that a killed process leaves to a visitor.
    public static void forEachKill(MemoryDisk initial, List<Operation> operations, Consumer<State> visitor) {
        // Nothing that a killed process leaves is random.
        CrashStates states = new CrashStates(initial, new Random(0));
        states.visitKilled(0, visitor);
        for (int i = 0; i < operations.size(); i++) {
            states.apply(operations.get(i));
            states.visitKilled(i + 1, visitor);
        }
    }

    /// One random state that a power cut after all operations can leave.
    public static MemoryDisk afterPowerCut(MemoryDisk initial, List<Operation> operations, Random random) {
        CrashStates states = new CrashStates(initial, random);
        operations.forEach(states::apply);
        int pendingCount = states.pendingNames.size();
        List<NameChange> kept = random.nextBoolean()
                ? states.pendingNames.subList(0, random.nextInt(pendingCount + 1))
                : states.pendingNames.stream()
                        .filter(change -> random.nextBoolean())
                        .toList();
        return states.disk(states.namesAfter(kept), Loss.values()[random.nextInt(Loss.values().length)]);
    }

    private MemoryDisk disk(Map<Path, Integer> names, Loss loss) {
        MemoryDisk disk = initial.emptyCopy();
        Map<Integer, Path> firstNames = new HashMap<>();
        names.forEach((path, fileId) -> {
            // A folder whose name is lost takes along what is in it.
            if (!disk.isDirectory(path.getParent())) {
                return;
            }
            Path firstName = firstNames.putIfAbsent(fileId, path);
            if (fileId == FOLDER) {
                disk.addFolder(path);
            } else if (firstName == null) {
                disk.put(path, nodes.get(fileId).after(loss, random));
            } else {
                disk.linkAgain(firstName, path);
            }
        });
        return disk;
    }

    /// The bytes of a file. A checksum is a much faster hash than that of an array or a buffer.
    public record Content(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Content(byte[] others) && Arrays.equals(bytes, others);
        }

        @Override
        public int hashCode() {
            return Crc32c.of(MemorySegment.ofArray(bytes));
        }
    }

    /// The possible fates of writes that were not forced.
    private enum Loss {
        NONE,
        ALL,
        /// The length is there, the bytes are not.
        ZEROS,
        LATER_HALF,
        /// All but the last are there, and of that one the sectors of its first half.
        LAST_TORN,
        ANY_SUBSET,
        ANY_TORN_PREFIX
    }

    private record NameChange(Path old, Path name, int fileId) {
        void applyTo(Map<Path, Integer> names) {
            if (old != null) {
                names.remove(old);
            }
            if (name != null) {
                names.put(name, fileId);
            }
        }

        boolean isIn(Path folder) {
            return key(folder).equals((name == null ? old : name).getParent());
        }
    }

    private void apply(Operation operation) {
        switch (operation) {
            case Operation.Create(int fileId, Path file) -> {
                nodes.put(fileId, new Node(new byte[0]));
                change(new NameChange(null, key(file), fileId));
            }
            case Operation.Write write -> nodes.get(write.fileId()).pending.add(write);
            case Operation.Force(int fileId) -> nodes.get(fileId).force();
            case Operation.ForceData(int fileId) -> nodes.get(fileId).forceData();
            case Operation.ForceFailed(int fileId) -> nodes.get(fileId).forceFailed();
            case Operation.Reopen(int fileId, Path file) -> nodes.put(fileId, nodes.get(names.get(key(file))));
            case Operation.CreateDirectory(Path folder) -> change(new NameChange(null, key(folder), FOLDER));
            case Operation.Link(Path existing, Path name) ->
                change(new NameChange(null, key(name), names.get(key(existing))));
            case Operation.Close close -> {}
            case Operation.Move(Path from, Path to) -> change(new NameChange(key(from), key(to), names.get(key(from))));
            case Operation.Delete(Path file) -> change(new NameChange(key(file), null, 0));
            case Operation.ForceDirectory(Path folder) -> forceNames(folder);
        }
    }

    private void change(NameChange change) {
        change.applyTo(names);
        pendingNames.add(change);
    }

    private void forceNames(Path folder) {
        pendingNames.stream().filter(change -> change.isIn(folder)).forEach(change -> change.applyTo(durableNames));
        pendingNames.removeIf(change -> change.isIn(folder));
    }

    /// @return the content of the disk
    private Map<Path, Object> visitKilled(int operationCount, Consumer<State> visitor) {
        Map<Path, Object> killed = content(names, Loss.NONE);
        visitor.accept(new State(operationCount, "the process is killed", disk(killed)));
        return killed;
    }

    private long visit(int operationCount, Consumer<State> visitor) {
        Set<Map<Path, Object>> visited = new HashSet<>();
        visited.add(visitKilled(operationCount, visitor));
        long stateCount = 1;
        int pendingCount = pendingNames.size();
        int step = Math.max(1, pendingCount / NAME_PREFIXES_MAX);
        for (int kept = pendingCount; kept > -step; kept -= step) {
            int keptCount = Math.max(0, kept);
            stateCount += visit(
                    operationCount,
                    "the first " + keptCount + " of " + pendingCount + " pending names are kept",
                    namesAfter(pendingNames.subList(0, keptCount)),
                    visited,
                    visitor);
        }
        if (pendingCount > 1) {
            List<NameChange> some =
                    pendingNames.stream().filter(change -> random.nextBoolean()).toList();
            String which = "of the pending names are kept " + some;
            stateCount += visit(operationCount, which, namesAfter(some), visited, visitor);
        }
        return stateCount;
    }

    private long visit(
            int operationCount,
            String which,
            Map<Path, Integer> kept,
            Set<Map<Path, Object>> visited,
            Consumer<State> visitor) {
        for (Loss loss : hasPendingWrites(kept) ? Loss.values() : new Loss[] {Loss.NONE}) {
            Map<Path, Object> content = content(kept, loss);
            if (visited.add(content)) {
                String how = "the power is cut; " + which + "; loss of writes that were not forced: " + loss;
                visitor.accept(new State(operationCount, how, disk(content)));
            }
        }
        return Loss.values().length;
    }

    private boolean hasPendingWrites(Map<Path, Integer> names) {
        return names.values().stream()
                .anyMatch(
                        fileId -> fileId != FOLDER && !nodes.get(fileId).pending.isEmpty());
    }

    private Map<Path, Integer> namesAfter(List<NameChange> changes) {
        Map<Path, Integer> result = new TreeMap<>(durableNames);
        changes.forEach(change -> change.applyTo(result));
        return result;
    }

    /// The files, each with its bytes, and the new folders. They are in the order of paths, so that folders come
    /// before what is in them.
    private Map<Path, Object> content(Map<Path, Integer> names, Loss loss) {
        Map<Path, Object> content = new TreeMap<>();
        names.forEach((path, fileId) -> {
            // A folder whose name is lost takes along what is in it.
            if (initial.isDirectory(path.getParent()) || content.get(path.getParent()) == FOLDER_CONTENT) {
                content.put(
                        path,
                        fileId == FOLDER
                                ? FOLDER_CONTENT
                                : new Content(nodes.get(fileId).after(loss, random)));
            }
        });
        return content;
    }

    private MemoryDisk disk(Map<Path, Object> content) {
        MemoryDisk disk = initial.emptyCopy();
        content.forEach((path, value) -> {
            if (value instanceof Content(byte[] bytes)) {
                disk.put(path, bytes);
            } else {
                disk.addFolder(path);
            }
        });
        return disk;
    }

    private static Path key(Path file) {
        return file.toAbsolutePath().normalize();
    }

    /// A file without its name: what is durable of it, and the writes since.
    private static final class Node {
        private byte[] durable;
        private final List<Operation.Write> pending = new ArrayList<>();
        /// Writes that a failed force has covered: they are in memory only, and no later force covers them.
        private final List<Operation.Write> doomed = new ArrayList<>();

        Node(byte[] durable) {
            this.durable = durable;
        }

        void force() {
            durable = with(pending);
            pending.clear();
        }

        void forceFailed() {
            doomed.addAll(pending);
            pending.clear();
        }

        /// Writes that made the file longer stay pending.
        void forceData() {
            List<Operation.Write> longer = pending.stream()
                    .filter(write -> write.offset() + write.bytes().length > durable.length)
                    .toList();
            pending.removeAll(longer);
            force();
            pending.addAll(longer);
        }

        byte[] after(Loss loss, Random random) {
            if (pending.isEmpty()) {
                return durable;
            }
            int count = pending.size();
            return switch (loss) {
                case NONE -> with(pending);
                case ALL -> durable;
                case ZEROS -> Arrays.copyOf(durable, with(pending).length);
                case LATER_HALF -> with(pending.subList(0, count / 2));
                case LAST_TORN -> tornAt(count - 1, pending.getLast().bytes().length / 2);
                case ANY_SUBSET ->
                    with(pending.stream().filter(write -> random.nextBoolean()).toList());
                case ANY_TORN_PREFIX -> {
                    int last = random.nextInt(count);
                    yield tornAt(last, random.nextInt(pending.get(last).bytes().length + 1));
                }
            };
        }

        private byte[] tornAt(int index, int keptBytes) {
            Operation.Write write = pending.get(index);
            long end = (write.offset() + keptBytes) / SECTOR_SIZE * SECTOR_SIZE;
            int sectors = Math.toIntExact(Math.max(0, end - write.offset()));
            List<Operation.Write> kept = new ArrayList<>(pending.subList(0, index));
            kept.add(new Operation.Write(write.fileId(), write.offset(), Arrays.copyOf(write.bytes(), sectors)));
            return with(kept);
        }

        private byte[] with(List<Operation.Write> writes) {
            long size = durable.length;
            for (Operation.Write write : writes) {
                size = Math.max(size, write.bytes().length == 0 ? 0 : write.offset() + write.bytes().length);
            }
            byte[] bytes = Arrays.copyOf(durable, Math.toIntExact(size));
            for (Operation.Write write : writes) {
                MemorySegment.copy(
                        MemorySegment.ofArray(write.bytes()),
                        0,
                        MemorySegment.ofArray(bytes),
                        write.bytes().length == 0 ? 0 : write.offset(),
                        write.bytes().length);
            }
            return bytes;
        }
    }
}
