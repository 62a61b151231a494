// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.JsonObject;
import dev.penstock.rows.NewRowFile.Published;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/// A shard that a [TableShardWriter] has written, as the manifest of a table lists it. It is small, so
/// processes can send it to the one that commits the table.
///
/// @param name  the name of the file in the folder of the table
/// @param rows  the number of rows
/// @param bytes the size of the file
/// @param crc   the CRC-32C of the file as eight hexadecimal digits, or null when the file is older than the
///              manifest
public record TableShard(String name, long rows, long bytes, String crc) implements Serializable {
    /// Reads an entry of the `shards` of a manifest.
    ///
    /// @throws IllegalArgumentException when a value is invalid
    public static TableShard of(Map<?, ?> entry) {
        return of(Published.read(new JsonObject(entry), TableManifest::isSafe));
    }

    /// The keys of the manifest of a table with these shards, for a program that adds keys of its own.
    ///
    /// @param created the creation time of the table, as ISO 8601 in UTC
    public static Map<String, Object> manifest(RowType rowType, List<TableShard> shards, String created) {
        List<Published> published = shards.stream().map(TableShard::published).toList();
        return new TableManifest(rowType.item().descr(), rowType.shape(), published, created, Map.of()).values();
    }

    static TableShard of(Published published) {
        return new TableShard(published.name(), published.rows(), published.bytes(), published.crc());
    }

    Published published() {
        return new Published(name, rows, bytes, crc);
    }
}
