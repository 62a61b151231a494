// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.plugin.Fields;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.plugin.WhereOption;
import dev.penstock.query.Scan;
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

/// Exports records in another format.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "export",
        header = "Write records of a dataset as NumPy, CSV, JSON Lines, Parquet or Arrow.",
        description = {
            "The output file appears when it is complete and on disk. A field with a shape becomes CSV columns like"
                    + " ev[0],ev[1]. Bytes are hexadecimal in CSV and Base64 in JSON; NaN and infinities are"
                    + " strings in JSON. Text that is not valid UTF-8 becomes U+FFFD.",
            "In Parquet and Arrow files a field with a shape is a list, bf16 is float, and text has no padding.",
            "A NumPy file needs fields of fixed size. It keeps the types of a table. Deleted records are skipped.",
            "A pack of runs is exported as runs in JSON and as steps in CSV and NumPy files, unless --as says"
                    + " otherwise."
        },
        footer = {
            "",
            "Example:",
            "  penstock export steps.npy --output steps.parquet",
            "  penstock export steps.npy --format csv --output - --fields run_id,move --where \"move == 2\""
        })
class ExportCommand extends DatasetsCommand {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "The output format: npy, csv, jsonl, parquet or arrow;"
                    + " for activation shards also safetensors or residual_shard_bf16"
                    + " (default: by the extension of the output).")
    Export.Format format;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The output file, or - for standard output (not for NumPy files).")
    String output;

    @Option(names = "--fields", paramLabel = "LIST", description = "Write only these fields, as in a,b (default: all).")
    String fields;

    @Mixin
    WhereOption where;

    @Mixin
    ViewOption view;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        format = format == null ? formatOfOutput() : format;
        ViewOption.Usual usual = format == Export.Format.JSONL ? ViewOption.Usual.DECODED : ViewOption.Usual.DETAILED;
        try (Dataset opened = open();
                ProgressBar progress = progress("export", ProgressBar.Unit.RECORDS);
                Dataset dataset = view.view(opened, usual, progress)) {
            if (format == Export.Format.SAFETENSORS || format == Export.Format.RESIDUAL_SHARD_BF16) {
                report(exportShards(opened, progress));
                return 0;
            }
            remarkNames(opened);
            List<Field> wanted = fields == null ? dataset.fields() : Fields.choose(dataset.conditionFields(), fields);
            Scan scan = Scan.of(dataset)
                    .withFields(wanted)
                    .withWhere(where.parsed(dataset))
                    .withFilter(dataset.hasDeleted() ? index -> !dataset.isDeleted(index) : null)
                    .withProgress(progress);
            long recordCount =
                    Export.write(scan, format, output, overwrite.isGiven, isStandardOutput() ? data() : null);
            report(recordCount);
        }
        return 0;
    }

    /// An exported record has its fields only.
    private void remarkNames(Dataset opened) {
        if (RecordKeys.hasNames(opened)) {
            remark("The names of the records are left out. `penstock convert " + path + " NEW --to store` makes a store"
                    + " with them as the field name, which can be exported.");
        }
    }

    /// The format that the extension of the output names.
    private Export.Format formatOfOutput() {
        for (Export.Format known : Export.Format.values()) {
            if (output.toLowerCase(Locale.ROOT).endsWith("." + known.name().toLowerCase(Locale.ROOT))) {
                return known;
            }
        }
        throw new IllegalArgumentException("the name " + output + " does not say which format it is to have: write"
                + " --format with one of npy, csv, jsonl, parquet, arrow, or end the name in one of these");
    }

    private long exportShards(Dataset dataset, ProgressBar progress) throws IOException {
        String name = "--format " + format.name().toLowerCase(Locale.ROOT);
        if (!(dataset instanceof ShardReader shards)) {
            throw new IllegalArgumentException(name + " writes activation shards only, but " + path + " is "
                    + dataset.format() + "; `penstock shards write` makes shards of arrays");
        }
        if (fields != null || where.condition != null) {
            throw new IllegalArgumentException(name + " always writes all rows; remove --fields and --where");
        }
        if (isStandardOutput()) {
            throw new IllegalArgumentException(name + " cannot write to standard output; give a path with --output");
        }
        if (format == Export.Format.SAFETENSORS) {
            Safetensors.write(shards, Path.of(output), overwrite.isGiven);
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
