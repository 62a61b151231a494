// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.shards.Safetensors;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Records in another format.
@CommandLine.Command(
        name = "export",
        header = "Write records of a dataset as a NumPy file, CSV, lines of JSON, Parquet, or Arrow.",
        description = {
            "The output appears when it is complete and on disk. Elements of a field with a shape are CSV columns like"
                    + " ev[0],ev[1]. Bytes are hexadecimal in CSV and Base64 in JSON; numbers JSON has no way to say"
                    + " are the strings NaN, Infinity and -Infinity. Bytes of text that are no UTF-8 become U+FFFD.",
            "In Parquet and Arrow files a field with a shape is a list, bf16 is float, and text has no padding.",
            "A NumPy file needs fields of fixed size; it keeps the types of a table.",
            "A pack of runs is exported as runs in JSON and as steps in CSV and NumPy files, unless --as says"
                    + " otherwise."
        },
        footer = {
            "",
            "Example:",
            "  penstock export steps.npy --format csv --output - --fields run_id,move --where \"move == 2\""
        })
class ExportCommand extends DatasetCommand {
    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            description = "What to write: npy, csv, jsonl, parquet or arrow;"
                    + " for activation shards also safetensors or residual_shard_bf16.")
    Export.Format format;

    @Option(
            names = "--output",
            required = true,
            paramLabel = "FILE",
            description = "The file to write, or - for standard output (not for NumPy files).")
    String output;

    @Option(names = "--fields", paramLabel = "LIST", description = "Fields to write, as in a,b (default: all).")
    String fields;

    @Option(names = "--where", paramLabel = "COND", description = "Only records that match, as for table select.")
    String condition;

    @Mixin
    RunViewOption view;

    @Option(names = "--overwrite", description = "Replace an existing output, in one step.")
    boolean isReplacing;

    @Override
    public Integer call() throws IOException {
        RunViewOption.As usual = format == Export.Format.JSONL ? RunViewOption.As.RUNS : RunViewOption.As.STEPS;
        try (Dataset opened = open();
                ProgressBar progress = progress("export", ProgressBar.Unit.RECORDS);
                Dataset dataset = view.view(opened, usual, progress)) {
            if (format == Export.Format.SAFETENSORS || format == Export.Format.RESIDUAL_SHARD_BF16) {
                report(exportShards(opened, progress));
                return 0;
            }
            List<Field> wanted = fields == null ? dataset.fields() : Fields.choose(dataset.conditionFields(), fields);
            Scan scan = Scan.of(dataset)
                    .withFields(wanted)
                    .withWhere(condition == null ? null : Where.parse(condition, dataset.conditionFields()))
                    .withProgress(progress);
            long recordCount = Export.write(scan, format, output, isReplacing, isStandardOutput() ? data() : null);
            report(recordCount);
        }
        return 0;
    }

    private long exportShards(Dataset dataset, ProgressBar progress) throws IOException {
        if (!(dataset instanceof ShardReader shards) || fields != null || condition != null || isStandardOutput()) {
            throw new IllegalArgumentException("--format " + format.name().toLowerCase(Locale.ROOT)
                    + " writes all rows of activation shards to a file or folder; it takes no --fields and no --where");
        }
        if (format == Export.Format.SAFETENSORS) {
            Safetensors.write(shards, Path.of(output), isReplacing);
        } else {
            ShardStats kept = ShardStats.read(shards);
            ShardStats stats = kept == null ? ShardStats.compute(shards, progress) : kept;
            ResidualFolder.write(shards, Path.of(output), stats);
        }
        return shards.count();
    }

    private boolean isStandardOutput() {
        return output.equals(Export.STANDARD_OUTPUT);
    }

    private void report(long recordCount) {
        boolean isData = isStandardOutput();
        if (isJson && !isData) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("records", recordCount);
            printJson(json);
        } else {
            remark("Exported " + Text.number(recordCount) + " records" + (isData ? "" : " to " + output));
        }
    }
}
