// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.store.StoreCompression;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The options of a write.
///
/// | option | | default |
/// |---|---|---|
/// | `kind` | `table`, `pack`, `shards` or `store` | that of the dataset, or `table` |
/// | `types` | the types of some fields, as in `label u8, image u8[32,32,3]` | those of the columns |
/// | `shardBytes` | the size after which a task begins a new shard | 1 GiB |
/// | `compress` | `raw`, `zstd`, `lz4` or `flate`, for packs and stores | `raw` |
/// | `name` | the column with the names of the records | none |
/// | `group` | the column whose equal values make the groups of a table | none |
/// | `shuffle` | a seed: the records are written in the order of a shuffle | none |
///
/// @param kind null when it is not given
record WriteOptions(
        String kind,
        Map<String, FieldType> types,
        long shardBytes,
        StoreCompression compression,
        String name,
        String group)
        implements Serializable {
    static final String SHUFFLE = "shuffle";
    static final List<String> KINDS = List.of("table", "pack", "shards", "store");
    private static final long SHARD_BYTES = 1L << 30;

    /// What a user may have misspelt. Spark adds options of its own.
    private static final Set<String> KNOWN =
            Set.of("kind", "types", "shardbytes", "compress", "name", "group", SHUFFLE, "path", "paths");

    static WriteOptions of(Map<String, String> options) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(options);
        Set<String> unknown = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        unknown.addAll(all.keySet());
        unknown.removeIf(one -> KNOWN.contains(one.toLowerCase(java.util.Locale.ROOT)));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("there is no option " + String.join(", ", unknown)
                    + " of a write; the options are kind, types, shardBytes, compress, name, group and shuffle");
        }
        String kind = all.get("kind");
        if (kind != null && !KINDS.contains(kind)) {
            throw new IllegalArgumentException("kind must be table, pack, shards or store, got '" + kind + "'");
        }
        String bytes = all.get("shardBytes");
        return new WriteOptions(
                kind,
                FieldType.parseAll(all.getOrDefault("types", "")),
                bytes == null ? SHARD_BYTES : ReadOptions.positive("shardBytes", bytes),
                StoreCompression.of(all.getOrDefault("compress", "raw")),
                all.get("name"),
                all.get("group"));
    }

    WriteOptions withKind(String kind) {
        return new WriteOptions(kind, types, shardBytes, compression, name, group);
    }
}
