// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A folder of MDS shards, as MosaicML Streaming writes it: an `index.json` and shards, which may be compressed
/// with Zstandard or gzip.
public final class MdsKind implements SourceKind {
    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "an MDS folder of MosaicML Streaming";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return IndexFile.has(candidate, "shards", "version");
    }

    @Override
    public RecordSource open(Location folder, SourceOptions options) throws IOException {
        ReaderOptions reading = options.catalog().reading();
        Location index = folder.resolve(IndexFile.NAME);
        JsonObject values = IndexFile.read(folder, reading);
        List<JsonObject> entries = IndexFile.parse(index, () -> values.objects("shards"));
        if (entries.isEmpty()) {
            throw new DatasetException.Corrupt(index, 0, Reason.EMPTY, "the index lists no shards");
        }
        List<LeafRecords.Shard> shards = new ArrayList<>();
        for (JsonObject entry : entries) {
            requireSame(index, entries.getFirst(), entry);
            String name = IndexFile.parse(index, () -> file(folder, entry, reading));
            SourceFile file = IndexFile.shard(folder, name, reading);
            shards.add(new LeafRecords.Shard(file, IndexFile.parse(index, () -> entry.whole("samples"))));
        }
        return LeafRecords.of("mds", shards, columns(index, entries.getFirst(), shards.getFirst()), options);
    }

    private static void requireSame(Location index, JsonObject first, JsonObject other) {
        for (String key : List.of("column_names", "column_encodings", "column_sizes")) {
            boolean isSame = first.values().get(key) != null
                    && first.values().get(key).equals(other.values().get(key));
            if (!isSame || !"mds".equals(other.values().get("format"))) {
                throw new DatasetException.Corrupt(
                        index, 0, Reason.SHARD_MISMATCH, "its shards differ in format or " + key);
            }
        }
    }

    /// The uncompressed file if it is there, otherwise the compressed one.
    private static String file(Location folder, JsonObject shard, ReaderOptions options) {
        String raw = new JsonObject((Map<?, ?>) map(shard, "raw_data")).text("basename");
        String compression = shard.values().get("compression") instanceof String text ? text : "";
        try {
            if (compression.isEmpty() || options.storageOf(folder).exists(folder.resolve(raw))) {
                return raw;
            }
        } catch (IOException e) {
            // Opening the other file says more.
        }
        if (!compression.startsWith("zstd") && !compression.startsWith("gz")) {
            throw new IllegalArgumentException("its shards are compressed with " + compression
                    + ", which is not supported; unpack them, or write them with zstd or gz");
        }
        return new JsonObject((Map<?, ?>) map(shard, "zip_data")).text("basename");
    }

    private static Object map(JsonObject object, String key) {
        JsonObject.require(object.values().get(key) instanceof Map<?, ?>, key);
        return object.values().get(key);
    }

    private static List<LeafRecords.Column> columns(Location index, JsonObject shard, LeafRecords.Shard first)
            throws IOException {
        List<String> names = texts(index, shard, "column_names");
        List<String> encodings = texts(index, shard, "column_encodings");
        List<Long> sizes = new ArrayList<>();
        if (!(shard.values().get("column_sizes") instanceof List<?> list)
                || names.size() != encodings.size()
                || names.size() != list.size()) {
            throw new DatasetException.Corrupt(
                    index, 0, Reason.BAD_MANIFEST, "its columns have different numbers of names, encodings and sizes");
        }
        list.forEach(size -> sizes.add(size instanceof Long number && number >= 0 ? number : -1L));
        List<LeafRecords.Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Leaf leaf;
            if (encodings.get(i).equals("ndarray")) {
                byte[] content = LeafRecords.first(first, sizes, i);
                leaf = MdsEncoding.ofAny(names.get(i), content);
            } else {
                String name = names.get(i);
                String encoding = encodings.get(i);
                leaf = IndexFile.parse(index, () -> MdsEncoding.of(name, encoding));
            }
            columns.add(new LeafRecords.Column(leaf, sizes.get(i)));
        }
        return columns;
    }

    private static List<String> texts(Location index, JsonObject shard, String key) {
        return IndexFile.parse(index, () -> {
            JsonObject.require(
                    shard.values().get(key) instanceof List<?> list
                            && !list.isEmpty()
                            && list.stream().allMatch(String.class::isInstance),
                    key);
            return ((List<?>) shard.values().get(key))
                    .stream().map(String.class::cast).toList();
        });
    }
}
