// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreSchema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Adds a field to a store.
@CommandLine.Command(
        name = "add",
        header = "Add a field to a store. The value is missing in existing records.",
        description = "The field is given in the same form as in `store create`.",
        footer = {"", "Example:", "  penstock store field add images score:float32:scalar"})
final class StoreFieldAddCommand extends StorefileCommand {
    @Parameters(
            index = "1",
            arity = "1",
            paramLabel = "FIELD",
            converter = StoreFieldText.class,
            description = "The field as NAME[:dtype[:shape]][:compress], as in store create.")
    StoreField field;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        StoreSchema.addField(path, field, StoreOptions.DEFAULT);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("field", field.name());
        report("Added the field {field} to {store}", figures, start);
        return 0;
    }
}
