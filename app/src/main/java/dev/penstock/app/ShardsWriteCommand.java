// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.RowSources;
import dev.penstock.file.Location;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Writes shards from arrays of other formats.
@CommandLine.Command(
        name = "write",
        header = "Write shards from .npy, .safetensors, residual_shard_bf16, other shards or raw f32.",
        description = {
            "The last dimension of an array is the width; an array of one dimension is one row. A folder of .npy and"
                    + " .safetensors files is read in the order of the names.",
            "Shards appear one by one, each when it is complete and on disk. After a crash, --resume continues after"
                    + " the last one."
        },
        footer = {
            "",
            "Example:",
            "  penstock shards write --input activations.npy --output corpus --shard-rows 1000000",
            "  penstock shards write --input layers.safetensors --tensor layers.1.resid --output corpus --dtype bf16",
            "  penstock shards write --input rows.f32 --width 4096 --output corpus"
        })
final class ShardsWriteCommand extends Command {
    @Option(
            names = "--input",
            required = true,
            paramLabel = "FILE|DIR",
            converter = LocationText.class,
            description = "The path or address of an array file, or of a folder of array files.")
    Location input;

    @Mixin
    ShardsOutput output;

    @Option(
            names = "--tensor",
            paramLabel = "NAME",
            description = "The tensor of a .safetensors file (default: all floating-point tensors).")
    String tensor;

    @Option(
            names = "--field",
            paramLabel = "NAME",
            description = "The field of records that have several, such as a key of JSON Lines.")
    String field;

    @Option(
            names = "--width",
            paramLabel = "N",
            description = "Read the input as f32 numbers without a header, with rows of width N.")
    Long width;

    @Option(names = "--resume", description = "Continue after the shards that are already in the folder.")
    boolean isResumed;

    @Option(names = "--lenient", description = "Accept input shards that only their original reader accepts.")
    boolean isLenient;

    @Override
    public Integer call() throws IOException {
        if (width != null && width < 1) {
            throw new IllegalArgumentException("--width must be at least 1, got " + width);
        }
        long start = System.nanoTime();
        ShardWriter.Options options = output.options(ElementType.F32);
        try (RecordSource rows = RowSources.open(input, choice(), Catalog.Options.DEFAULT.withLenient(isLenient))) {
            long rowWidth = rows.fields().getFirst().shape().getFirst();
            ShardWriter writer = output.write(
                    () -> isResumed
                            ? ShardWriter.resume(output.folder, rowWidth, options)
                            : ShardWriter.create(output.folder, rowWidth, options),
                    opened -> copy(rows, opened),
                    input + " has no rows");
            report(writer, (System.nanoTime() - start) / 1e9);
        }
        return 0;
    }

    private RowSources.Choice choice() {
        return new RowSources.Choice(tensor, field, width == null ? 0 : width);
    }

    private void copy(RecordSource rows, ShardWriter shards) throws IOException {
        try (ProgressBar progress = progress("rows", ProgressBar.Unit.RECORDS)) {
            RecordWriter.of(shards).appendAll(rows, shards.nextRow(), progress);
        }
    }

    private void report(ShardWriter writer, double seconds) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output.folder);
            json.put("rows", writer.nextRow());
            json.put("width", writer.width());
            json.put("dtype", writer.type());
            json.put("shards", (long) writer.shardCount());
            json.put("seconds", seconds);
            printJson(json);
        } else {
            remark("Wrote " + Text.number(writer.nextRow()) + " rows of " + writer.width() + " " + writer.type()
                    + " to " + output.folder + " in " + Text.seconds(seconds));
        }
    }
}
