// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.LayoutTables;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class TableFormatDocsTest {
    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/table/TableFormat.java");
        tables.requireEqual("HEAD_1", TableFormat.HEAD_1);
        tables.requireEqual("HEAD_2", TableFormat.HEAD_2);
        tables.requireNoOther();
    }

    @Test
    void theTablesOfArchivesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/table/ZipFormat.java");
        tables.requireEqual("END", ZipFormat.END);
        tables.requireEqual("LOCATOR", ZipFormat.LOCATOR);
        tables.requireEqual("END_64", ZipFormat.END_64);
        tables.requireEqual("ENTRY", ZipFormat.ENTRY);
        tables.requireEqual("LOCAL", ZipFormat.LOCAL);
        tables.requireNoOther();
    }
}
