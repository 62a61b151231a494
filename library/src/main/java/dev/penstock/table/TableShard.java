// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.rows.NewRowFile.Published;
import java.io.Serializable;

/// A shard that a [TableShardWriter] has written, as the manifest of a table lists it. It is small, so
/// processes can send it to the one that commits the table.
///
/// @param name  the name of the file in the folder of the table
/// @param rows  the number of rows
/// @param bytes the size of the file
/// @param crc   the CRC-32C of the file as eight hexadecimal digits
public record TableShard(String name, long rows, long bytes, String crc) implements Serializable {
    static TableShard of(Published published) {
        return new TableShard(published.name(), published.rows(), published.bytes(), published.crc());
    }

    Published published() {
        return new Published(name, rows, bytes, crc);
    }
}
