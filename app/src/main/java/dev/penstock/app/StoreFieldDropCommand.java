// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreSchema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Drops a field of a store.
@CommandLine.Command(
        name = "drop",
        header = "Drop a field of a store.",
        description = "Its values become garbage. `store rebalance` frees their space.",
        footer = {"", "Example:", "  penstock store field drop images note"})
final class StoreFieldDropCommand extends StorefileCommand {
    @Parameters(index = "1", arity = "1", paramLabel = "NAME", description = "The name of the field.")
    String name;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        StoreSchema.dropField(path, name, StoreOptions.DEFAULT);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("field", name);
        report("Dropped the field {field} of {store}", figures, start);
        return 0;
    }
}
