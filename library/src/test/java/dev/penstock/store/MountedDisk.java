// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// A small file system of its own, mounted in a folder. Only root may do that, and not everywhere: elsewhere the
/// test is skipped and says why.
public final class MountedDisk implements AutoCloseable {
    private final Path work;
    private final Path folder;
    /// Null for one in memory.
    private final Path image;

    private MountedDisk(Path work, Path folder, Path image) {
        this.work = work;
        this.folder = folder;
        this.image = image;
    }

    /// A file system in memory of a size in megabytes.
    public static MountedDisk inMemory(Path work, int megabytes) throws IOException, InterruptedException {
        Path folder = Files.createDirectory(work.resolve("mounted"));
        MountedDisk disk = new MountedDisk(work, folder, null);
        disk.require("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", folder.toString());
        return disk;
    }

    /// An ext4 file system in a file, which can lose what was not forced.
    static MountedDisk ext4(Path work, int megabytes) throws IOException, InterruptedException {
        Path folder = Files.createDirectory(work.resolve("mounted"));
        MountedDisk disk = new MountedDisk(work, folder, work.resolve("image"));
        disk.require("truncate", "-s", megabytes + "M", disk.image.toString());
        disk.require("mkfs.ext4", "-q", disk.image.toString());
        disk.require("mount", "-o", "loop", disk.image.toString(), folder.toString());
        return disk;
    }

    public Path folder() {
        return folder;
    }

    /// Cuts the power: nothing more reaches the disk, not even what the file system keeps in its own log. Then the
    /// disk is mounted again.
    void cutPower() throws IOException, InterruptedException {
        // EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
        String program = "import fcntl, os, struct, sys; "
                + "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";
        require("python3", "-c", program, folder.toString());
    }

    /// A process that copied the list of mounts, as a container does when it starts, keeps the old state of the
    /// file system alive, and a new mount would get that one. So this waits until it is gone.
    void remount() throws IOException, InterruptedException {
        String device = Path.of(ChildJava.run(work, List.of("findmnt", "-n", "-o", "SOURCE", folder.toString()))
                        .output()
                        .strip())
                .getFileName()
                .toString();
        require("umount", folder.toString());
        while (Files.exists(Path.of("/sys/fs/ext4", device))) {
            Thread.sleep(1);
        }
        require("mount", "-o", "loop", image.toString(), folder.toString());
    }

    private void require(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        String problem;
        try {
            ChildJava.Result result = ChildJava.run(work, command);
            problem = result.exitCode() == 0 ? null : result.output().strip();
        } catch (IOException e) {
            problem = e.getMessage();
        }
        Assumptions.assumeTrue(problem == null, "skipped: needs root and " + words[0] + ": " + problem);
    }

    @Override
    public void close() throws IOException {
        try {
            ChildJava.run(work, List.of("umount", folder.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
