// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A dataset whose files only their owner can read stays so, whichever command changes it.
@Tag("full")
final class PrivateFilesTest {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PUBLIC = PosixFilePermissions.fromString("rw-r--r--");

    /// A lock has no data, and readers of any user create some.
    private static final Set<String> LOCKS = Set.of(".lock", ".lease");

    @TempDir
    Path root;

    private Path templates;
    private Path inputs;
    private Map<String, HostileDataset> datasets;

    @BeforeEach
    void writeDatasets() throws IOException {
        templates = Files.createDirectory(root.resolve("templates"));
        inputs = Files.createDirectory(root.resolve("inputs"));
        datasets = HostileDatasets.write(templates, inputs);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    private Path copy(String home, Set<PosixFilePermission> mode) throws IOException {
        Path folder = root.resolve("case");
        FolderState.delete(folder);
        FolderState.copy(templates.resolve(home), folder);
        for (Path file : files(folder)) {
            Files.setPosixFilePermissions(file, mode);
        }
        return folder;
    }

    @Test
    void privateFilesStayPrivate() throws IOException {
        List<String> problems = new ArrayList<>();
        int changeCount = 0;
        for (Map.Entry<String, HostileDataset> one : datasets.entrySet()) {
            for (List<String> command : one.getValue().writing()) {
                Path folder = copy(one.getKey(), PRIVATE);
                FolderState before = FolderState.of(folder);
                CommandRun.of(one.getValue().words(command, folder, inputs));
                changeCount += before.equals(FolderState.of(folder)) ? 0 : 1;
                for (Path file : files(folder)) {
                    boolean isLock = LOCKS.contains(file.getFileName().toString());
                    if (!isLock && !Files.getPosixFilePermissions(file).equals(PRIVATE)) {
                        problems.add(one.getKey() + ": " + command + " made public: " + folder.relativize(file));
                    }
                }
            }
        }
        assertEquals("", String.join("\n", problems));
        assertTrue(changeCount > 25, () -> "most commands change a file");
    }

    @Test
    void publicFilesStayPublic() throws IOException {
        Path pack = copy("pack", PUBLIC).resolve("data.a2pack");
        HostileDatasets.fine(
                "pack", "build", "--all-files", "--input", inputs.resolve("files"), "--overwrite", "-o", pack);
        assertEquals(PUBLIC, Files.getPosixFilePermissions(pack));
    }

    @Test
    void aFolderThatIsReplacedKeepsItsMode() throws IOException {
        Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rwxr-x---");
        for (String format : List.of("store", "table")) {
            Path folder = copy("table-folder", PRIVATE);
            Path data = folder.resolve("data");
            Files.setPosixFilePermissions(data, mode);
            HostileDatasets.fine("convert", inputs.resolve("rows.npy"), data, "--overwrite", "--to", format);
            assertEquals(mode, Files.getPosixFilePermissions(data));
        }
    }
}
