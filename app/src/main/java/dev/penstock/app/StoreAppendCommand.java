// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final long APPENDED_BYTES = 4 << 20;
    private static final int APPENDED_COUNT = 4096;

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
    StoreValueText.Bytes bytes;

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

    /// Records that are appended together, so that several threads work on them.
    private final List<List<byte[]>> collected = new ArrayList<>();

    private long collectedBytes;
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
        try (StoreInput input = StoreInputs.open(inputs, writer.fields(), bytes);
                ProgressBar progress = progress("append", ProgressBar.Unit.RECORDS)) {
            byte[][] values = new byte[writer.fields().size()][];
            while (input.next(values)) {
                collect(writer, values);
                boolean isCommit = (appendedCount + collected.size()) % commitEvery == 0;
                if (isCommit || collectedBytes >= APPENDED_BYTES || collected.size() >= APPENDED_COUNT) {
                    appendCollected(writer);
                }
                if (isCommit) {
                    writer.commit();
                    committedCount = appendedCount;
                }
                progress.at(appendedCount, Math.max(appendedCount, input.total()));
            }
            appendCollected(writer);
        }
        figures.put("first", first);
        figures.put("appended", appendedCount);
    }

    private void collect(StoreWriter writer, byte[][] values) {
        List<byte[]> record = Arrays.asList(values.clone());
        try {
            writer.requireFitting(record);
        } catch (IllegalArgumentException e) {
            throw new BadInput("record " + (appendedCount + collected.size()) + " of the input: " + e.getMessage(), e);
        }
        collected.add(record);
        for (byte[] value : values) {
            collectedBytes += value == null ? 0 : value.length;
        }
    }

    private void appendCollected(StoreWriter writer) throws IOException {
        writer.appendAll(collected);
        appendedCount += collected.size();
        collected.clear();
        collectedBytes = 0;
    }
}
