// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailableMemoryTest {
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup/memory");
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final long LIMIT = 256L << 20;

    @Test
    void itIsPositiveAndNoMoreThanTheMachineHas() throws IOException {
        long bytes = AvailableMemory.bytes();
        assertTrue(bytes > 0, bytes + " bytes");
        Assumptions.assumeTrue(Files.exists(MEMINFO), "needs /proc");
        long total = Files.readAllLines(MEMINFO).stream()
                .filter(line -> line.startsWith("MemTotal:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow();
        assertTrue(bytes <= total, bytes + " of " + total + " bytes");
    }

    @Test
    void theLimitOfTheControlGroupCounts(@TempDir Path folder) throws Exception {
        Path group = group();
        try {
            Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(LIMIT));
            List<String> command = new ArrayList<>(
                    List.of("sh", "-c", "echo $$ > " + group.resolve("cgroup.procs") + " && exec \"$@\"", "sh"));
            command.addAll(ChildJava.command(folder, Printer.class));
            ChildJava.Result result = ChildJava.run(folder, command);
            assertEquals(0, result.exitCode(), result.output());
            long bytes = Long.parseLong(result.output().strip());
            assertTrue(bytes <= LIMIT, bytes + " bytes in a group that is limited to " + LIMIT);
            assertTrue(bytes > LIMIT / 8, bytes + " bytes, though the process needs little of " + LIMIT);
        } finally {
            Files.delete(group);
        }
    }

    private static Path group() {
        try {
            if (Files.isWritable(CGROUPS.resolve("cgroup.procs"))) {
                return Files.createDirectory(CGROUPS.resolve(
                        "penstock-test-" + ProcessHandle.current().pid()));
            }
        } catch (IOException e) {
            // The folder claims to be writable and is not.
        }
        return Assumptions.abort("needs root and a writable memory cgroup");
    }

    /// A program that prints what it finds.
    static final class Printer {
        private Printer() {}

        public static void main(String[] arguments) {
            System.out.println(AvailableMemory.bytes());
        }
    }
}
