// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// A command that brings rows into a table.
abstract class TableInputCommand extends Command {
    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE",
            description = "A .npy file, a folder of them, a .csv file, or - for standard input.")
    String input;

    @Option(
            names = "--shard-rows",
            paramLabel = "N",
            description = "Begin a new shard after so many rows; for folders.")
    Long shardRows;

    @Option(
            names = "--shard-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Begin a new shard before it gets larger, as in 2g; for folders.")
    Long shardBytes;

    @Option(names = "--meta", paramLabel = "KEY=VALUE", description = "A note for the manifest; for folders.")
    Map<String, String> metadata = new LinkedHashMap<>();

    TableWriter.Options options() {
        TableWriter.Options options = TableWriter.Options.DEFAULT.withMetadata(metadata);
        options = shardRows == null ? options : options.withShardRows(shardRows);
        return shardBytes == null ? options : options.withShardBytes(shardBytes);
    }

    /// A single file has no place for what only a folder has.
    void requireFolder(Path output) {
        boolean isFile = output.toString().endsWith(".npy");
        if (isFile && (shardRows != null || shardBytes != null || !metadata.isEmpty())) {
            throw new IllegalArgumentException(
                    "--shard-rows, --shard-bytes and --meta make a folder: give an output that does not end in .npy");
        }
    }

    /// Copies all rows and closes the writer, or gives the table up.
    void copy(TableSource source, TableWriter writer) throws IOException {
        try (ProgressBar progress = progress("rows", ProgressBar.Unit.BYTES)) {
            source.copyTo(writer, progress);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
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
