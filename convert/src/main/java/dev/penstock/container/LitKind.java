// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Json;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A folder of LitData chunks: an `index.json` and chunks, which may be compressed with Zstandard. The leaves of a
/// sample are fields, called `outer.inner` where dictionaries and lists are nested; a sample that is a leaf
/// itself is the field `value`.
public final class LitKind implements SourceKind {
    private static final int DEPTH_MAX = 100;

    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a LitData folder";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return IndexFile.has(candidate, "chunks", "config");
    }

    @Override
    public RecordSource open(Location folder, SourceOptions options) throws IOException {
        ReaderOptions reading = options.catalog().reading();
        Location index = folder.resolve(IndexFile.NAME);
        JsonObject values = IndexFile.read(folder, reading);
        List<LeafRecords.Shard> chunks = new ArrayList<>();
        for (JsonObject chunk : IndexFile.parse(index, () -> values.objects("chunks"))) {
            String name = IndexFile.parse(index, () -> chunk.text("filename"));
            long count = IndexFile.parse(index, () -> chunk.whole("chunk_size"));
            chunks.add(new LeafRecords.Shard(IndexFile.shard(folder, name, reading), count));
        }
        if (chunks.isEmpty()) {
            throw new DatasetException.Corrupt(index, 0, Reason.EMPTY, "the index lists no chunks");
        }
        JsonObject config = IndexFile.parse(index, () -> {
            JsonObject.require(values.values().get("config") instanceof Map<?, ?>, "config");
            return new JsonObject((Map<?, ?>) values.values().get("config"));
        });
        return LeafRecords.of("litdata", chunks, columns(index, config, chunks.getFirst()), options);
    }

    private static List<LeafRecords.Column> columns(Location index, JsonObject config, LeafRecords.Shard first)
            throws IOException {
        if (config.values().get("encryption") != null) {
            throw new DatasetException.UnsupportedVersion(
                    index, 0, Reason.UNSUPPORTED_VERSION, "the chunks are encrypted; write them without encryption");
        }
        if (!(config.values().get("data_format") instanceof List<?> formats) || formats.isEmpty()) {
            throw new DatasetException.Corrupt(index, 0, Reason.BAD_MANIFEST, "its data_format is not a list");
        }
        boolean isTokens = "TokensLoader".equals(config.values().get("item_loader"));
        List<String> names = IndexFile.parse(index, () -> names(config));
        List<Long> sizes = new ArrayList<>();
        formats.forEach(format -> sizes.add(-1L));
        List<LeafRecords.Column> columns = new ArrayList<>();
        for (int i = 0; i < formats.size(); i++) {
            String name = isTokens ? "tokens" : names.size() == formats.size() ? names.get(i) : Integer.toString(i);
            String format = String.valueOf(formats.get(i));
            byte[] content = LitLeaves.isShaped(format) ? LeafRecords.first(first, sizes, i) : null;
            Leaf leaf = IndexFile.parse(index, () -> LitLeaves.of(name, format, content));
            columns.add(new LeafRecords.Column(leaf, isTokens ? LeafRecords.WHOLE : -1));
        }
        return columns;
    }

    /// The names of the leaves by the specification of the tree; empty when it has another form.
    private static List<String> names(JsonObject config) {
        List<String> names = new ArrayList<>();
        if (config.values().get("data_spec") instanceof String text
                && Json.parse(text.getBytes(StandardCharsets.UTF_8)) instanceof List<?> list
                && list.size() == 2
                && list.get(1) instanceof Map<?, ?> root) {
            addNames(root, "", names, 0);
        }
        return names;
    }

    private static void addNames(Map<?, ?> node, String prefix, List<String> names, int depth) {
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException("its data_spec is nested too deeply");
        }
        List<?> children = node.get("children_spec") instanceof List<?> list ? list : List.of();
        if (node.get("type") == null) {
            names.add(prefix.isEmpty() ? "value" : prefix);
            return;
        }
        Object context = node.get("context") instanceof String text && text.startsWith("[")
                ? Json.parse(text.getBytes(StandardCharsets.UTF_8))
                : node.get("context");
        List<?> keys = context instanceof List<?> list && list.size() == children.size() ? list : null;
        for (int i = 0; i < children.size(); i++) {
            String key = keys == null ? Integer.toString(i) : String.valueOf(keys.get(i));
            if (children.get(i) instanceof Map<?, ?> child) {
                addNames(child, prefix.isEmpty() ? key : prefix + "." + key, names, depth + 1);
            }
        }
    }
}
