// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// A control group below the group of this process, which limits the memory of its processes, including file
/// pages.
///
/// **Lifecycle.** Its processes must have ended before it is closed.
final class MemoryGroup implements AutoCloseable {
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");
    private static final int REMOVE_TRIES = 50;
    private static final long TRY_NANOS = 20_000_000;

    private final Path folder;

    private MemoryGroup(Path folder) {
        this.folder = folder;
    }

    /// Creates a group.
    ///
    /// @throws IOException when this process has no permission, or the system has no such groups; the message says
    ///                     why
    static MemoryGroup create(long limitBytes) throws IOException {
        String name = "penstock-benchmark-" + ProcessHandle.current().pid();
        for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            String[] parts = line.split(":", 3);
            boolean isFirstVersion = List.of(parts[1].split(",")).contains("memory");
            Path mount = isFirstVersion ? MOUNT.resolve("memory") : MOUNT;
            String limitFile = isFirstVersion ? "memory.limit_in_bytes" : "memory.max";
            if (isFirstVersion || parts[1].isEmpty() && Files.exists(MOUNT.resolve("cgroup.controllers"))) {
                return create(own(mount, parts[2]).resolve(name), limitFile, limitBytes);
            }
        }
        throw new IOException("there are no control groups for memory");
    }

    /// Inside a container the group's own folder is often not visible.
    private static Path own(Path mount, String name) {
        Path named = mount.resolve(name.replaceFirst("^/", ""));
        return Files.isDirectory(named) ? named : mount;
    }

    private static MemoryGroup create(Path folder, String limitFile, long limitBytes) throws IOException {
        MemoryGroup group = new MemoryGroup(Files.createDirectory(folder));
        try {
            // The control files exist as soon as the folder does. If this one is missing, no limit can be set.
            if (!Files.exists(folder.resolve(limitFile))) {
                throw new IOException("groups below " + folder.getParent() + " have no limits for memory");
            }
            Files.writeString(folder.resolve(limitFile), Long.toString(limitBytes));
            return group;
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    /// The command line that runs another command in the group, under the same process id.
    List<String> inside(List<String> words) {
        List<String> all = new ArrayList<>(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
        all.add(folder.resolve("cgroup.procs").toString());
        all.addAll(words);
        return all;
    }

    @Override
    public void close() throws IOException {
        for (int i = 1; ; i++) {
            try {
                Files.delete(folder);
                return;
            } catch (IOException e) {
                // The system takes a moment to release the last process.
                if (i == REMOVE_TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(TRY_NANOS);
            }
        }
    }
}
