// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.BadRecords;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.Targets;
import dev.penstock.convert.TextRules;
import dev.penstock.file.Location;
import dev.penstock.plugin.FieldsReport;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies a dataset into another format.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "convert",
        header = "Copy a dataset into another format, such as a store, a table or Parquet.",
        description = {
            "The source is any dataset, a quoted pattern such as 'day-*' of several with the same fields, a tree (its"
                    + " paths and values), Parquet or Arrow (a file or a folder, such as one that Hugging Face saved),"
                    + " .csv, .tsv, JSON Lines (.jsonl) with an object in each line, .json with one array of objects,"
                    + " these also as .gz and .zst, tar and zip archives, TFRecord, MDS, LitData and Megatron data, a"
                    + " folder of images, sounds or texts, or what a plug-in or a package of Python reads. The types"
                    + " of text files are guessed, or given by --field. The format of the target follows from --to or"
                    + " from its extension; without either it is a table if all fields have a fixed size, and a store"
                    + " otherwise. Deleted records are skipped.",
            "The target appears when it is complete and all its records have been read back and compared with the"
                    + " source. Until then it is in the folder .TARGET.converting. After an interruption the same"
                    + " command continues: a store after the last commit, a table of several files and shards after"
                    + " the last full file. All others start again.",
            "A target in object storage is made in a local folder (--stage) and then copied.",
            "A table needs fields of fixed size and no missing values, a pack one field (--field), and shards one"
                    + " field of floating-point numbers (--field, --cast). Records of a pack that have one size are"
                    + " read as numbers by --as. CSV and JSON Lines refuse what text cannot hold exactly; bytes are"
                    + " hexadecimal in CSV and Base64 in JSON."
        },
        footer = {
            "",
            "Example:",
            "  penstock convert train.parquet train --dry-run",
            "  penstock convert selfplay steps.npy --fields board,move --where \"move == 2\"",
            "  penstock convert texts.jsonl texts --to store --compress zstd",
            "  penstock convert train train.jsonl",
            "  penstock convert train train-hf --to hf",
            "  penstock convert people.csv people --field zip:utf8 --field age:uint8",
            "  penstock convert photos.a2pack photos --to store --compress zstd",
            "  penstock convert vectors.a2pack vectors.npy --as float32",
            "  penstock convert 'train-*.tar' train --to store --decode json,cls --on-error skip",
            "  penstock convert tokens.bin docs --to store --dtype uint16 --end-token 50256",
            "  penstock convert activations.npy corpus --to shards --cast bf16 --shard-rows 1000000"
        })
final class ConvertCommand extends ConvertingCommand {
    @Parameters(
            index = "0",
            paramLabel = "SOURCE",
            converter = LocationText.class,
            description = "The path or address of the dataset, in any format.")
    Location source;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            converter = LocationText.class,
            description = "The path or s3 address of the new dataset.")
    Location output;

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Mixin
    SourceOption kind = new SourceOption();

    @Option(
            names = "--dry-run",
            description = "Print what the source is, and which fields it has and what they become, and stop.")
    boolean isDryRun;

    @Override
    public Integer call() throws IOException {
        kind.dtype.requireNone(List.of(source), io.options());
        boolean isChosen =
                target.format != null || Targets.ofExtension(named(output)).isPresent();
        TextRules rules = isChosen ? TextRules.of(Targets.choose(named(output), target.format)) : TextRules.GUESS;
        try (RecordSource opened = open(target.choice(), rules)) {
            RecordSource records = target.typed(kind.divided(opened));
            String format = isChosen ? target.format : Targets.usual(records);
            Conversion conversion = Conversion.of(records, named(output), format, target.options());
            String advice = isChosen ? null : "--to chooses another format";
            FieldsReport report = new FieldsReport(described(), records, conversion, output, advice);
            if (isDryRun && isJson) {
                printJson(report.json());
            } else if (isDryRun) {
                report.lines().forEach(this::print);
            } else {
                if (records.dataset().isEmpty() || !isChosen) {
                    report.lines().forEach(this::remark);
                }
                write(records, output, "Converted", format);
            }
            return 0;
        }
    }

    /// What the source is, as in `a Parquet file`.
    private String described() throws IOException {
        if (kind.dtype.type != null) {
            return "a file of plain numbers";
        }
        return Sources.kind(source, io.options()).map(SourceKind::description).orElse("a dataset");
    }

    private RecordSource open(RecordChoice choice, TextRules rules) throws IOException {
        return Sources.open(
                snapshot.of(source),
                kind.of(SourceOptions.DEFAULT
                        .withCatalog(io.options())
                        .withText(rules.withTypes(target.types()))
                        .withChoice(choice)));
    }

    @Override
    BadRecords bad() {
        return kind.bad();
    }

    @Override
    Path writeLeftOut() throws IOException {
        return kind.writeLeftOut(named(output));
    }
}
