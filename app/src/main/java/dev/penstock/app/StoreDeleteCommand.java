// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.IndexRanges;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Deletes records.
@CommandLine.Command(
        name = "delete",
        header = "Delete records of a store, in one commit.",
        description = "All other records keep their indices, and loaders skip deleted records. In a store that was"
                + " created with --delete swap, records from the end move into the gaps instead. The highest index is"
                + " deleted first, and --json lists the records that have moved.",
        footer = {"", "Example:", "  penstock store delete images --indices 3,17,100-120"})
final class StoreDeleteCommand extends StorefileCommand {
    @Option(
            names = "--indices",
            required = true,
            paramLabel = "LIST",
            description = "Indices of the records, such as 3,17,100-120.")
    String indices;

    /// The number of moved records that a remark lists.
    private static final int SHOWN_MAX = 5;

    @Override
    public Integer call() throws IOException {
        change("Deleted {deleted|record} from {store}{others}", this::delete);
        return 0;
    }

    private void delete(StoreWriter writer, Map<String, Object> figures) throws IOException {
        List<List<Long>> moved = new ArrayList<>();
        long count = 0;
        for (IndexRanges.Range range :
                IndexRanges.parse(indices, writer.count(), path).reversed()) {
            for (long index = range.last(); index >= range.first(); index--) {
                long from = writer.delete(index);
                count++;
                if (from >= 0) {
                    moved.add(List.of(from, index));
                }
            }
        }
        figures.put("deleted", count);
        if (!isJson) {
            figures.put("others", writer.isSwapping() ? "" : "; the others keep their indices");
        }
        if (writer.isSwapping()) {
            figures.put("moved", moved);
            if (!isJson && !moved.isEmpty()) {
                remark("Records moved from the end into the gaps: "
                        + moved.stream()
                                .limit(SHOWN_MAX)
                                .map(one -> one.getFirst() + " is now " + one.getLast())
                                .collect(Collectors.joining(", "))
                        + (moved.size() > SHOWN_MAX ? " and others, which --json lists" : ""));
            }
        }
    }
}
