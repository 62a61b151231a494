// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.file.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/// One of the files that hold the records of a dataset, with the range of its records.
///
/// @param location    the file, or the folder of a part that consists of several files
/// @param firstIndex  the index of its first record in the dataset
/// @param recordCount the number of its records
public record Shard(Location location, long firstIndex, long recordCount) {
    /// For datasets: the shards of these files.
    ///
    /// @param starts the index of the first record of each file, and for the number of files that of all records
    public static List<Shard> list(List<Location> files, IntToLongFunction starts) {
        List<Shard> shards = new ArrayList<>(files.size());
        for (int i = 0; i < files.size(); i++) {
            long first = starts.applyAsLong(i);
            shards.add(new Shard(files.get(i), first, starts.applyAsLong(i + 1) - first));
        }
        return shards;
    }

    /// The same shard in a dataset where `count` records come before.
    public Shard behind(long count) {
        return new Shard(location, firstIndex + count, recordCount);
    }
}
