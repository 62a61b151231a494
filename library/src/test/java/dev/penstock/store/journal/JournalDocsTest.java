// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import dev.penstock.LayoutTables;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class JournalDocsTest {
    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/store/journal/Journal.java");
        tables.requireEqual("HEADER", Journal.HEADER);
        tables.requireEqual("FRAME", Journal.FRAME);
        tables.requireNoOther();
    }
}
