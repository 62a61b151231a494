// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Prints the indices of records by their names.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "find",
        header = "Print the indices of the records with these names.",
        description = {
            "Packs keep names of records. `penstock convert --name FIELD` makes an index of names for a store, a table"
                    + " or shards: the file keys.act in the folder, or NAME.keys.act beside the file NAME.",
            "The exit code is 1 if a name is missing."
        },
        footer = {"", "Example:", "  penstock find photos.a2pack cats/1.jpg", "  penstock find train 12345 67890 --json"
        })
final class FindCommand extends DatasetCommand {
    @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY", description = "The names of records.")
    List<String> wanted;

    @Override
    public Integer call() throws IOException {
        Map<String, Long> found = new LinkedHashMap<>();
        try (Dataset dataset = open();
                RecordKeys keys = RecordKeys.open(dataset, options().reading())) {
            for (String key : wanted) {
                OptionalLong index = keys.find(key);
                found.put(key, index.isPresent() ? index.getAsLong() : null);
            }
        }
        if (isJson) {
            printJson(found);
        } else {
            found.forEach(this::print);
        }
        return found.containsValue(null) ? 1 : 0;
    }

    private void print(String key, Long index) {
        if (index == null) {
            remark("no record of " + path + " has the name " + Text.printable(key));
        } else {
            print(wanted.size() == 1 ? index.toString() : index + "  " + Text.printable(key));
        }
    }
}
