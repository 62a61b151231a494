// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.TableInput;
import dev.penstock.plugin.ByteCount;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// A command that reads rows into a table.
abstract class TableInputCommand extends Command {
    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE",
            description = "A dataset with fields of fixed size, a .csv or .jsonl file, another file that convert"
                    + " reads, or - for standard input.")
    String input;

    @Option(names = "--shard-rows", paramLabel = "N", description = "Start a new shard after N rows; only for folders.")
    Long shardRows;

    @Option(
            names = "--shard-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Largest size of a shard, as in 2g; only for folders.")
    Long shardBytes;

    @Option(
            names = "--meta",
            paramLabel = "KEY=VALUE",
            description = "A metadata entry for the manifest; only for folders.")
    Map<String, String> metadata = new LinkedHashMap<>();

    TableWriter.Options options() {
        TableWriter.Options options = TableWriter.Options.DEFAULT.withMetadata(metadata);
        options = shardRows == null ? options : options.withShardRows(shardRows);
        return shardBytes == null ? options : options.withShardBytes(shardBytes);
    }

    /// Rejects options that a single file does not support.
    void requireFolder(Path output) {
        boolean isFile = output.toString().endsWith(".npy");
        if (isFile && (shardRows != null || shardBytes != null || !metadata.isEmpty())) {
            throw new IllegalArgumentException(
                    "--shard-rows, --shard-bytes and --meta need a folder: give an output that does not end in .npy");
        }
    }

    /// Copies all rows and completes the table, or discards the new rows after a failure.
    void copy(TableInput source, TableWriter table) throws IOException {
        try (RecordWriter writer = RecordWriter.of(table);
                ProgressBar progress = progress("rows", ProgressBar.Unit.RECORDS)) {
            writer.appendAll(source.records(), 0, progress);
            writer.finish();
        }
    }

    void report(String verb, Path output, long rowCount, long startNanos, String type) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("rows", rowCount);
            json.put("dtype", type);
            json.put("seconds", seconds);
            printJson(json);
        } else {
            remark(verb + " " + Text.number(rowCount) + " rows of " + type + " to " + output + " in "
                    + Text.seconds(seconds));
        }
    }
}
