// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.LayoutTables;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class PackFormatDocsTest {
    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/pack/PackFormat.java");
        tables.requireEqual("HEADER", PackFormat.HEADER);
        tables.requireEqual("ENTRY", PackFormat.ENTRY);
        tables.requireEqual("FOOTER", PackFormat.FOOTER);
        tables.requireEqual("NAMES", PackFormat.NAMES);
        tables.requireNoOther();
    }
}
