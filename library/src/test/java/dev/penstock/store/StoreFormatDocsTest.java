// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.LayoutTables;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class StoreFormatDocsTest {
    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/store/StoreFormat.java");
        tables.requireEqual("ENTRY", StoreFormat.ENTRY);
        tables.requireEqual("PREFIX", StoreFormat.PREFIX);
        tables.requireEqual("CHANGE", StoreFormat.CHANGE);
        tables.requireNoOther();
    }
}
