// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Adds records to a store.
@CommandLine.Command(
        name = "append",
        header = "Append records to a store.",
        description = {
            "One --input FILE has whole records: lines of JSON objects (.jsonl), a CSV file whose first line names the"
                    + " fields, or any dataset whose fields have the names of the store's. Several --input FIELD=FILE"
                    + " have one field each: a .npy array with a value in each row, a .jsonl file with a value in each"
                    + " line, a folder of files in the order of their names, or any dataset with one field.",
            "Fields that no input has are missing. In JSON null is a missing value, and in CSV an empty cell."
                    + " Text for a field of bytes is stored as UTF-8, or decoded with --bytes base64 or hex."
        },
        footer = {
            "",
            "Example:",
            "  penstock store append texts --input texts.jsonl",
            "  penstock store append images --input pixels=pixels.npy --input label=labels.npy",
            "  penstock store append photos --input jpeg=folder"
        })
final class StoreAppendCommand extends StorefileCommand {
    @Option(
            names = "--input",
            required = true,
            paramLabel = "[FIELD=]FILE",
            description = "Where records or the values of a field come from.")
    List<String> inputs;

    @Option(
            names = "--bytes",
            paramLabel = "HOW",
            defaultValue = "utf8",
            description = "How text stands for bytes: utf8, base64 or hex (default: ${DEFAULT-VALUE}).")
    StoreValueText.Bytes bytes;

    @Option(
            names = "--commit-every",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Commit after this many records and at the end (default: ${DEFAULT-VALUE}).")
    long commitEvery;

    private long appendedCount;
    private long committedCount;

    @Override
    public Integer call() throws IOException {
        if (commitEvery < 1) {
            throw usage("--commit-every must be at least 1");
        }
        try {
            change("Appended to", this::append);
        } catch (Throwable e) {
            if (committedCount > 0) {
                remark("The first " + Text.number(committedCount) + " records of the input are committed.");
            }
            throw e;
        }
        return 0;
    }

    private void append(StoreWriter writer, Map<String, Object> figures) throws IOException {
        long first = writer.count();
        try (StoreInput input = StoreInputs.open(inputs, writer.fields(), bytes);
                ProgressBar progress = progress("append", ProgressBar.Unit.RECORDS)) {
            byte[][] values = new byte[writer.fields().size()][];
            while (input.next(values)) {
                append(writer, values);
                if (appendedCount % commitEvery == 0) {
                    writer.commit();
                    committedCount = appendedCount;
                }
                progress.at(appendedCount, Math.max(appendedCount, input.total()));
            }
        }
        figures.put("first", first);
        figures.put("appended", appendedCount);
    }

    private void append(StoreWriter writer, byte[][] values) throws IOException {
        try {
            writer.append(Arrays.asList(values));
        } catch (IllegalArgumentException e) {
            throw new BadInput("record " + appendedCount + " of the input: " + e.getMessage(), e);
        }
        appendedCount++;
    }
}
