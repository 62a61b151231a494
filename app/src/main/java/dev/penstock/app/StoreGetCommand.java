// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.plugin.Fields;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.RecordText;
import dev.penstock.store.StoreReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows records of a store.
@CommandLine.Command(
        name = "get",
        header = "Show records of a store, in the given order.",
        description =
                "A missing value is shown as missing, and as null in JSON. With --field, the bytes of a single field"
                        + " of a single record are written to standard output unchanged.",
        footer = {
            "",
            "Example:",
            "  penstock store get images 17",
            "  penstock store get images 5,0,10-20 --json",
            "  penstock store get photos 17 --field jpeg > photo.jpg"
        })
final class StoreGetCommand extends StorefileCommand {
    @Parameters(
            index = "1",
            arity = "0..*",
            paramLabel = "INDICES",
            description = "Indices of the records, such as 17 or 5,0,10-20 or 5 0 10-20.")
    List<String> lists = List.of();

    @Option(names = "--indices", paramLabel = "LIST", description = "The same as INDICES, as in store delete.")
    String indices;

    @Option(
            names = {"--field", "--fields"},
            paramLabel = "LIST",
            description = "Show only these fields, as in a,b (default: all).")
    String field;

    @Mixin
    SnapshotOption snapshot;

    @Override
    public Integer call() throws IOException {
        if (lists.isEmpty() == (indices == null)) {
            throw usage("give the indices of the records once, such as 17 or 5,0,10-20");
        }
        try (StoreReader store = StoreReader.open(snapshot.of(Location.of(path)).path());
                Batch batch = Batch.create(Fields.choose(store.fields(), field))) {
            List<Long> wanted = indices(store.count());
            boolean isBytes = !isJson
                    && field != null
                    && batch.columns().size() == 1
                    && batch.column(0).field().isVariable();
            if (isBytes && wanted.size() == 1) {
                writeBytes(store, batch, wanted.getFirst());
            } else {
                show(store, batch, wanted);
            }
        }
        return 0;
    }

    /// The indices in the given order, with duplicates.
    private List<Long> indices(long count) {
        List<Long> wanted = new ArrayList<>();
        for (String part : (indices == null ? String.join(",", lists) : indices).split(",")) {
            for (IndexRanges.Range range : IndexRanges.parse(part, count, path)) {
                for (long index = range.first(); index <= range.last(); index++) {
                    wanted.add(index);
                }
            }
        }
        return wanted;
    }

    private void writeBytes(StoreReader store, Batch batch, long index) throws IOException {
        store.gather(new long[] {index}, batch);
        if (batch.column(0).isMissing(0)) {
            throw new IllegalArgumentException(
                    "record " + index + (store.isDeleted(index) ? " was deleted" : " has no value of field " + field));
        }
        data().write(RecordText.toArray(batch.column(0).value(0)));
    }

    private void show(StoreReader store, Batch batch, List<Long> wanted) throws IOException {
        boolean isList = wanted.size() != 1;
        String start = isList ? "[" : "";
        if (isJson && wanted.isEmpty()) {
            print("[]");
        }
        for (int i = 0; i < wanted.size(); i++, start = "") {
            long index = wanted.get(i);
            store.gather(new long[] {index}, batch);
            if (isJson) {
                String end = isList ? i + 1 < wanted.size() ? "," : "]" : "";
                print(start + Json.text(json(store, index, batch)) + end);
            } else {
                print(store.isDeleted(index) ? index + "  (deleted)" : index + "  " + RecordText.pairs(batch, 0));
            }
        }
    }

    private static Map<String, Object> json(StoreReader store, long index, Batch batch) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("index", index);
        if (store.isDeleted(index)) {
            json.put("deleted", true);
        }
        json.putAll(RecordText.fields(batch, 0));
        return json;
    }
}
