// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sizes of packs and folders do not show in the heap: 32 MiB suffice for any of them.
@Tag("full")
class PackHeapTest {
    private static final int RECORD_COUNT = 100_000;
    private static final int RECORD_SIZE = 60 << 10;
    private static final int FILE_COUNT = TestData.isLong() ? 50_000 : 3_000;

    @TempDir
    Path folder;

    @Test
    void aLargePackAndAFolderOfManyFilesNeedLittleHeap() throws Exception {
        Path pack = folder.resolve("large.a2pack");
        SparsePack.write(pack, RECORD_COUNT, RECORD_SIZE, RECORD_SIZE);
        Path files = Files.createDirectory(folder.resolve("files"));
        makeFiles(files);
        List<String> command =
                ChildJava.command(folder, SmallHeapPacks.class, pack, files, folder.resolve("built.a2pack"));
        command.replaceAll(argument -> argument.startsWith("-Xmx") ? "-Xmx32m" : argument);
        ChildJava.Result result = ChildJava.run(folder, command);
        assertEquals(0, result.exitCode(), result::output);
        assertEquals(FILE_COUNT + " files packed", result.output().strip());
        assertFalse(Files.exists(ChildJava.crashReport(folder)));
    }

    private static void makeFiles(Path folder) throws IOException {
        for (int i = 0; i < FILE_COUNT; i++) {
            Path sub = folder.resolve("sub" + i % 100);
            if (i < 100) {
                Files.createDirectory(sub);
            }
            Files.writeString(sub.resolve("file" + i), "the content of file " + i);
        }
    }
}
