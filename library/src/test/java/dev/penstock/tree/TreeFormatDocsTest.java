// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.LayoutTables;
import dev.penstock.Project;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The specification says what the code does.
final class TreeFormatDocsTest {
    private static final String SOURCE = "library/src/main/java/dev/penstock/tree/TreeFormat.java";

    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of(SOURCE);
        tables.requireEqual("HEADER", TreeFormat.HEADER);
        tables.requireEqual("TRAILER", TreeFormat.TRAILER);
        tables.requireNoOther();
    }

    @Test
    void theWriterWritesTheDocumentedExample() throws IOException {
        String source = Project.read(Path.of(SOURCE));
        Matcher example = Pattern.compile("## Example.*?```\n(.*?)/// ```", Pattern.DOTALL)
                .matcher(source);
        example.find();
        String hex = example.group(1).replaceAll("///|   +[a-z].*", "").replaceAll("\\s", "");
        assertEquals(hex, HexFormat.of().formatHex(Trees.bytes(TreeKeySets.get("ace"))));
    }
}
