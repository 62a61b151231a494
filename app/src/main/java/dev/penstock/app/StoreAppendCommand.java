// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.BatchRows;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.TextRules;
import dev.penstock.convert.ValueText;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Appends records to a store.
@CommandLine.Command(
        name = "append",
        header = "Append records to a store.",
        description = {
            "A single --input FILE has whole records: JSON Lines (.jsonl), a CSV file whose first line names the"
                    + " fields, or any dataset with the same field names as the store. Several --input"
                    + " FIELD=FILE options"
                    + " give one field each: a .npy array with a value in each row, a .jsonl file with a value in each"
                    + " line, a folder of files in the order of their names, or any dataset with one field.",
            "Fields without an input are missing. A missing value is null in JSON and an empty cell in CSV, where empty"
                    + " text is \"\"; in a file with one column it is an empty line. Numbers are converted to the type"
                    + " of the field if that type holds all of them, as int64 holds int32. Text for a bytes field is"
                    + " stored as UTF-8, or decoded with --bytes base64 or --bytes hex."
        },
        footer = {
            "",
            "Example:",
            "  penstock store append texts --input texts.jsonl",
            "  penstock store append images --input pixels=pixels.npy --input label=labels.npy --writers 2",
            "  penstock store append photos --input jpeg=folder"
        })
final class StoreAppendCommand extends StorefileCommand {
    @Option(
            names = "--input",
            required = true,
            paramLabel = "[FIELD=]FILE",
            description = "The source of the records, or of the values of a field.")
    List<String> inputs;

    @Option(
            names = "--bytes",
            paramLabel = "HOW",
            defaultValue = "utf8",
            description = "Encoding of bytes in text: utf8, base64 or hex (default: ${DEFAULT-VALUE}).")
    ValueText.Bytes bytes;

    @Option(
            names = "--commit-every",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Commit after every N records and at the end (default: ${DEFAULT-VALUE}).")
    long commitEvery;

    @Option(
            names = "--writers",
            paramLabel = "N",
            description = "Threads that compress and write values, 1 to 4 (default: one for each core).")
    Integer writers;

    private long appendedCount;
    private long committedCount;

    @Override
    public Integer call() throws IOException {
        if (commitEvery < 1) {
            throw usage("--commit-every must be at least 1");
        }
        try {
            change("Appended to", options(), this::append);
        } catch (Throwable e) {
            if (committedCount > 0) {
                remark("The first " + Text.number(committedCount) + " records of the input are committed.");
            }
            throw e;
        }
        return 0;
    }

    private StoreOptions options() {
        try {
            return writers == null ? StoreOptions.DEFAULT : StoreOptions.DEFAULT.withWriters(writers);
        } catch (IllegalArgumentException e) {
            throw usage("--writers: " + e.getMessage());
        }
    }

    private void append(StoreWriter writer, Map<String, Object> figures) throws IOException {
        long first = writer.count();
        TextRules rules = TextRules.GUESS
                .withFields(writer.fields().stream().map(StoreField::column).toList())
                .withBytes(bytes);
        try (RecordSource input = StoreInputs.open(inputs, rules);
                Batch part = Batch.create(input.fields());
                ProgressBar progress = progress("append", ProgressBar.Unit.RECORDS)) {
            input.forEach((indices, batch) -> append(writer, batch, part), progress);
        }
        figures.put("first", first);
        figures.put("appended", appendedCount);
    }

    /// Appends the rows of a batch, and commits wherever it is time.
    private void append(StoreWriter writer, Batch batch, Batch part) throws IOException {
        long done = 0;
        while (done < batch.rowCount()) {
            long limit = Math.min(batch.rowCount(), done + commitEvery - appendedCount % commitEvery);
            append(writer, BatchRows.range(batch, done, limit, part));
            done = limit;
            if (appendedCount % commitEvery == 0) {
                writer.commit();
                committedCount = appendedCount;
            }
        }
    }

    private void append(StoreWriter writer, Batch rows) throws IOException {
        try {
            writer.appendAll(rows);
        } catch (IllegalArgumentException e) {
            throw new BadInput("from record " + appendedCount + " of the input on: " + e.getMessage(), e);
        }
        appendedCount += rows.rowCount();
    }
}
