// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/// The amount of memory that this process can still use for file pages: the machine's, or its control group's if
/// that is less.
public final class AvailableMemory {
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Path CGROUP_OF_SELF = Path.of("/proc/self/cgroup");
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    private AvailableMemory() {}

    /// The number of bytes that are free or hold only file pages. If the system does not tell, half of the Java
    /// heap limit.
    public static long bytes() {
        long machine = machine().orElse(Runtime.getRuntime().maxMemory() / 2);
        return Math.min(machine, cgroup().orElse(Long.MAX_VALUE));
    }

    private static OptionalLong machine() {
        return lines(MEMINFO).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst();
    }

    private static OptionalLong cgroup() {
        return lines(CGROUP_OF_SELF).stream()
                .map(line -> line.split(":", 3))
                .filter(parts -> parts.length == 3)
                .flatMapToLong(parts -> {
                    String name = parts[2].replaceFirst("^/", "");
                    if (List.of(parts[1].split(",")).contains("memory")) {
                        return version1(CGROUPS.resolve("memory"), name).stream();
                    }
                    return parts[1].isEmpty() ? version2(CGROUPS, name).stream() : OptionalLong.empty().stream();
                })
                .min();
    }

    /// Inside a container the group's own folder is often not visible. Its limits are then at the mount point.
    private static Path folder(Path mount, String name, String limitFile) {
        Path named = mount.resolve(name);
        return Files.exists(named.resolve(limitFile)) ? named : mount;
    }

    private static OptionalLong version1(Path mount, String name) {
        Path folder = folder(mount, name, "memory.stat");
        OptionalLong limit = stat(folder, "hierarchical_memory_limit");
        OptionalLong used = number(folder.resolve("memory.usage_in_bytes"));
        long filePages = stat(folder, "total_inactive_file").orElse(0)
                + stat(folder, "total_active_file").orElse(0);
        return remainder(limit, used, filePages);
    }

    /// All parent groups limit the memory as well, so the smallest limit is used.
    private static OptionalLong version2(Path mount, String name) {
        OptionalLong least = OptionalLong.empty();
        for (Path folder = folder(mount, name, "memory.max"); folder.startsWith(mount); folder = folder.getParent()) {
            long filePages = stat(folder, "inactive_file").orElse(0)
                    + stat(folder, "active_file").orElse(0);
            OptionalLong here = remainder(
                    number(folder.resolve("memory.max")), number(folder.resolve("memory.current")), filePages);
            if (here.isPresent() && (least.isEmpty() || here.getAsLong() < least.getAsLong())) {
                least = here;
            }
        }
        return least;
    }

    private static OptionalLong remainder(OptionalLong limit, OptionalLong used, long filePages) {
        if (limit.isEmpty() || used.isEmpty()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(0, limit.getAsLong() - Math.max(0, used.getAsLong() - filePages)));
    }

    private static OptionalLong stat(Path folder, String key) {
        return lines(folder.resolve("memory.stat")).stream()
                .filter(line -> line.startsWith(key + " "))
                .map(line -> parse(line.substring(key.length() + 1)))
                .flatMapToLong(OptionalLong::stream)
                .findFirst();
    }

    private static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? OptionalLong.empty() : parse(lines.getFirst());
    }

    /// Version 2 writes `max` for no limit.
    private static OptionalLong parse(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
