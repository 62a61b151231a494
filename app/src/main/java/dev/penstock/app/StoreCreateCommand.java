// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Creates an empty store.
@CommandLine.Command(
        name = "create",
        header = "Create an empty store.",
        description = {
            "A field is NAME[:dtype[:shape]][:compress]. Without a dtype its values are bytes. With a NumPy dtype"
                    + " they are numbers: a variable number of them, or a fixed shape given as lengths"
                    + " such as 28x28 or the word scalar. The dtype utf8 is text.",
            "compress is raw (the default), flate, zstd or lz4. Programs that know only the published layout"
                    + " can read raw and flate."
        },
        footer = {
            "",
            "Example:",
            "  penstock store create images --field pixels:uint8:28x28:zstd --field label:int64:scalar",
            "  penstock store create texts --field text:utf8 --field source"
        })
final class StoreCreateCommand extends StorefileCommand {
    @Option(
            names = "--field",
            required = true,
            paramLabel = "FIELD",
            converter = StoreFieldText.class,
            description = "A field, as described above. Repeat the option for each field.")
    List<StoreField> fields;

    /// What a delete does to the indices of other records.
    enum Deletion {
        TOMBSTONE,
        SWAP
    }

    @Option(
            names = "--delete",
            paramLabel = "HOW",
            defaultValue = "tombstone",
            description = "What deleting does: tombstone keeps all indices, swap moves the last record into the gap"
                    + " (default: ${DEFAULT-VALUE}).")
    Deletion deletion;

    @Option(names = "--chunk-rows", paramLabel = "N", description = "Start a new chunk file after N records.")
    Long chunkRows;

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        StoreOptions options = StoreOptions.DEFAULT.withSwapping(deletion == Deletion.SWAP);
        options = chunkRows == null ? options : options.withChunkRows(chunkRows);
        try (StoreWriter writer = StoreWriter.create(path, fields, options)) {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("fields", writer.fields().stream().map(StoreField::name).toList());
            report("Created {store} with the fields {fields}", figures, start);
        }
        return 0;
    }
}
