// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The tables `offset | size | type | field | rule` in the Javadoc of a format class, each under a `### NAME`.
public final class LayoutTables {
    private record Line(long offset, long size, String type, String field) {}

    private final Map<String, List<Line>> tables = new LinkedHashMap<>();
    private final Set<String> compared = new HashSet<>();

    private LayoutTables() {}

    /// Reads the tables of a source file of the project.
    public static LayoutTables of(String source) {
        return parse(Project.read(Path.of(source)));
    }

    static LayoutTables parse(String source) {
        LayoutTables found = new LayoutTables();
        String name = null;
        for (String line : source.lines().toList()) {
            if (line.startsWith("/// ### ")) {
                name = line.substring("/// ### ".length());
            } else if (line.matches("/// \\| +\\d+ \\|.*")) {
                String[] cells = line.substring(4).split("\\|");
                assertEquals(6, cells.length, "five cells: " + line);
                assertTrue(!cells[5].isBlank(), "a rule: " + line);
                found.tables
                        .computeIfAbsent(name, ignored -> new ArrayList<>())
                        .add(new Line(
                                Long.parseLong(cells[1].strip()),
                                Long.parseLong(cells[2].strip()),
                                cells[3].strip(),
                                cells[4].strip()));
            }
        }
        return found;
    }

    /// Fails unless the table has exactly the members of the layout.
    public void requireEqual(String name, StructLayout layout) {
        List<Line> lines = tables.get(name);
        assertNotNull(lines, "no table " + name);
        List<Line> members = new ArrayList<>();
        long offset = 0;
        for (MemoryLayout member : layout.memberLayouts()) {
            String field = member.name().orElse("(unnamed)");
            members.add(new Line(offset, member.byteSize(), type(member), field));
            offset += member.byteSize();
        }
        assertEquals(members, lines, name);
        compared.add(name);
    }

    /// Fails if a table has not been compared with a layout.
    public void requireNoOther() {
        assertEquals(tables.keySet(), compared);
    }

    private static String type(MemoryLayout member) {
        return member instanceof ValueLayout ? "u" + member.byteSize() * 8 : "bytes";
    }
}
