// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.shards.ShardWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// Where and how shards are written.
final class ShardsOutput {
    @Option(names = "--output", required = true, paramLabel = "DIR", description = "The folder for the shards.")
    Path folder;

    @Option(
            names = "--dtype",
            paramLabel = "f32|bf16|f16|f64",
            description = "The type of the stored numbers (default: f32 for write, that of the input for"
                    + " sample). Readers of the original format know f32 only.")
    Type type;

    @Option(names = "--shard-rows", paramLabel = "N", description = "Begin a new shard after so many rows.")
    Long shardRows;

    @Option(
            names = "--shard-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Begin a new shard before it gets larger, as in 2g (default: 1g).")
    Long shardBytes;

    @Option(names = "--no-manifest", description = "Do not write corpus.json, the list of shards with checksums.")
    boolean isPlain;

    @Option(names = "--meta", paramLabel = "KEY=VALUE", description = "A note for corpus.json.")
    Map<String, String> metadata = new LinkedHashMap<>();

    /// The types that shards can have.
    enum Type {
        F32,
        BF16,
        F16,
        F64
    }

    ShardWriter.Options options(ElementType usual) {
        ShardWriter.Options options = ShardWriter.Options.DEFAULT
                .withType(type == null ? usual : ElementType.valueOf(type.name()))
                .withManifest(!isPlain)
                .withMetadata(metadata);
        options = shardRows == null ? options : options.withShardRows(shardRows);
        return shardBytes == null ? options : options.withShardBytes(shardBytes);
    }
}
