// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.Io;
import dev.penstock.plugin.ByteCount;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// The options for writing shards.
final class ShardsOutput {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "The output folder.")
    Path folder;

    @Option(
            names = "--dtype",
            paramLabel = "f32|bf16|f16|f64",
            description = "The type of the stored numbers (default: f32 for write, the input's type for"
                    + " sample). Readers of the original program can read f32 only.")
    Type type;

    @Option(names = "--shard-rows", paramLabel = "N", description = "Start a new shard after N rows.")
    Long shardRows;

    @Option(
            names = "--shard-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Largest size of a shard, as in 2g (default: 1g).")
    Long shardBytes;

    @Option(names = "--no-manifest", description = "Do not write corpus.json, the list of shards with checksums.")
    boolean isPlain;

    @Option(names = "--meta", paramLabel = "KEY=VALUE", description = "A metadata entry for corpus.json.")
    Map<String, String> metadata = new LinkedHashMap<>();

    /// The types that shards can have.
    enum Type {
        F32,
        BF16,
        F16,
        F64
    }

    /// Writes rows and closes the writer. If there are no rows, or writing fails before the first shard is
    /// complete, a folder that did not exist before is removed.
    ///
    /// @param opening   creates or resumes a corpus
    /// @param emptiness the message when there are no rows
    ShardWriter write(Io.Supplier<ShardWriter> opening, Io.Consumer<ShardWriter> rows, String emptiness)
            throws IOException {
        boolean isNew = !Files.exists(folder);
        ShardWriter writer = opening.get();
        try {
            rows.accept(writer);
            if (writer.nextRow() == 0) {
                throw new IllegalArgumentException(
                        emptiness + ", but shards without rows cannot be read; nothing was written");
            }
        } catch (Throwable e) {
            writer.abort();
            if (isNew && writer.shardCount() == 0) {
                Files.deleteIfExists(folder);
            }
            throw e;
        }
        writer.close();
        return writer;
    }

    ShardWriter.Options options(ElementType usual) {
        if (shardRows != null && shardRows < 1) {
            throw new IllegalArgumentException("--shard-rows must be at least 1, got " + shardRows);
        }
        if (shardBytes != null && shardBytes < 1) {
            throw new IllegalArgumentException("--shard-bytes must be at least 1, got " + shardBytes);
        }
        ShardWriter.Options options = ShardWriter.Options.DEFAULT
                .withType(type == null ? usual : ElementType.valueOf(type.name()))
                .withManifest(!isPlain)
                .withMetadata(metadata);
        options = shardRows == null ? options : options.withShardRows(shardRows);
        return shardBytes == null ? options : options.withShardBytes(shardBytes);
    }
}
