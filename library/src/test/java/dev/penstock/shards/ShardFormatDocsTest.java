// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.ElementType;
import dev.penstock.LayoutTables;
import org.junit.jupiter.api.Test;

/// The tables of the specification are the layouts of the code.
final class ShardFormatDocsTest {
    @Test
    void theTableIsTheLayout() {
        LayoutTables tables = LayoutTables.of("library/src/main/java/dev/penstock/shards/ShardFormat.java");
        tables.requireEqual("HEADER", ShardFormat.HEADER);
        tables.requireNoOther();
    }

    @Test
    void theTagsInFilesNeverChange() {
        assertEquals(0, ShardFormat.tag(ElementType.F32));
        assertEquals(1, ShardFormat.tag(ElementType.BF16));
        assertEquals(2, ShardFormat.tag(ElementType.F16));
        assertEquals(3, ShardFormat.tag(ElementType.F64));
        for (int tag = 0; tag < 4; tag++) {
            assertEquals(tag, ShardFormat.tag(ShardFormat.type(tag)));
        }
        assertEquals(null, ShardFormat.type(4));
        assertEquals(null, ShardFormat.type(0xffff_ffffL));
    }
}
