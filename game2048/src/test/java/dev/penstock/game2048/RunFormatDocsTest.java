// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class RunFormatDocsTest {
    private static final Pattern ROW =
            Pattern.compile("/// \\| +(\\d+) \\| +(\\d+) \\| (\\w+) +\\| (\\w+) +\\|", Pattern.MULTILINE);

    @Test
    void theTableIsTheLayout() throws IOException {
        assertTable("RunFormat.java", RunFormat.V1_HEADER);
        assertTable("StepsFormat.java", StepsFormat.ROW, StepsFormat.WIDE_ROW);
    }

    private static void assertTable(String file, StructLayout... layouts) throws IOException {
        Path source = Golden.root().resolveSibling("game2048/src/main/java/dev/penstock/game2048/" + file);
        List<String> rows = ROW.matcher(Files.readString(source))
                .results()
                .map(RunFormatDocsTest::row)
                .toList();
        List<String> expected = new ArrayList<>();
        for (StructLayout layout : layouts) {
            long offset = 0;
            for (MemoryLayout member : layout.memberLayouts()) {
                expected.add(
                        offset + " " + member.byteSize() + " " + member.name().orElseThrow());
                offset += member.byteSize();
            }
        }
        assertEquals(expected, rows);
    }

    private static String row(MatchResult row) {
        return row.group(1) + " " + row.group(2) + " " + row.group(4);
    }
}
