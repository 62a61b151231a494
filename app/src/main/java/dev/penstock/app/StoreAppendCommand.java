// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.RecordSource;
import dev.penstock.convert.StoreRecordWriter;
import dev.penstock.convert.TextRules;
import dev.penstock.convert.ValueText;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
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
                    + " fields, any dataset with the same field names as the store, or another file that convert"
                    + " reads. Several --input FIELD=FILE options"
                    + " give one field each: a .npy array with a value in each row, a .jsonl file with a value in each"
                    + " line, a folder of files in the order of their names, or any dataset with one field. The file"
                    + " - is standard input: CSV or JSON Lines.",
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

    @Override
    public Integer call() throws IOException {
        if (commitEvery < 1) {
            throw usage("--commit-every must be at least 1");
        }
        long start = System.nanoTime();
        StoreWriter store = StoreWriter.open(path, options());
        StoreRecordWriter writer = new StoreRecordWriter(store, commitEvery);
        try (writer) {
            Map<String, Object> figures = append(store, writer);
            writer.finish();
            report("Appended {appended|record} to {store}" + STATE, figures, start);
        } catch (Throwable e) {
            if (writer.committedCount() > 0) {
                remark("The first " + Text.number(writer.committedCount()) + " records of the input are committed.");
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

    private Map<String, Object> append(StoreWriter store, StoreRecordWriter writer) throws IOException {
        long first = writer.count();
        TextRules rules = TextRules.GUESS
                .withFields(store.fields().stream().map(StoreField::column).toList())
                .withBytes(bytes);
        try (RecordSource input = StoreInputs.open(inputs, console.in(), rules);
                ProgressBar progress = progress("append", ProgressBar.Unit.RECORDS)) {
            writer.appendAll(input, 0, progress);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("first", first);
        figures.put("appended", writer.count() - first);
        figures.put("commit", writer.commit());
        figures.put("records", writer.count());
        return figures;
    }
}
