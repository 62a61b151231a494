// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.file.Location;
import java.util.Objects;

/// Where records of a view come from: consecutive records of a dataset that has files of its own.
///
/// @param dataset     the dataset with the files
/// @param firstRecord the index of the first record in it
/// @param recordCount the number of consecutive records, which is above 1 for a window
/// @param file        the file that holds the first record, or the location of the dataset where one record lies
///                    in several files
/// @param fileRecord  the number of the first record in that file
/// @param name        the name of the first record, or null when it has none
public record Origin(Dataset dataset, long firstRecord, long recordCount, Location file, long fileRecord, String name) {
    public Origin {
        Objects.requireNonNull(dataset, "dataset");
        Objects.requireNonNull(file, "file");
    }

    /// The same, for more records that follow.
    public Origin withCount(long recordCount) {
        return new Origin(dataset, firstRecord, recordCount, file, fileRecord, name);
    }
}
