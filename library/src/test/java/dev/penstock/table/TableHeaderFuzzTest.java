// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import dev.penstock.table.TableProbe.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Any bytes at all are opened as a table and read in every way: a [dev.penstock.DatasetException] is the worst
/// that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class TableHeaderFuzzTest {
    private static final String INPUTS = "/dev/penstock/table/TableHeaderFuzzTestInputs/";

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreReadOrRefused(byte[] bytes) throws IOException {
        MemoryDisk disk = new MemoryDisk().put(Tables.FILE, bytes);
        Outcome mapped = TableProbe.read(() -> Tables.open(disk, Tables.FILE, Access.MMAP));
        Outcome read = TableProbe.read(() -> Tables.open(disk, Tables.FILE, Access.READ));
        assertTrue(mapped == read, "mapped and read differ");
    }

    /// Any text as the header of a file with some bytes of rows, so that the search need not find the frame.
    @FuzzTest(maxDuration = "30s")
    void anyHeaderIsReadOrRefused(byte[] text) throws IOException {
        String header = new String(text, StandardCharsets.ISO_8859_1);
        MemoryDisk disk = new MemoryDisk().put(Tables.FILE, Tables.file(2, header, new byte[256]));
        TableProbe.read(() -> Tables.open(disk, Tables.FILE, Access.READ));
    }

    /// Inputs in the wrong folder would never be replayed.
    @Test
    void theInputsAreWhereTheyAreReplayedFrom() throws Exception {
        for (String target : new String[] {"anyBytesAreReadOrRefused", "anyHeaderIsReadOrRefused"}) {
            assertNotNull(TableHeaderFuzzTest.class.getDeclaredMethod(target, byte[].class));
            Path folder = Path.of(
                    TableHeaderFuzzTest.class.getResource(INPUTS + target).toURI());
            try (Stream<Path> inputs = Files.list(folder)) {
                assertTrue(inputs.count() >= 10, folder.toString());
            }
        }
    }
}
