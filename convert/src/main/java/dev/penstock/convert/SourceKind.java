// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.List;

/// A kind of source whose records can be read for a conversion, although it is not a [dev.penstock.Dataset]: it
/// has no records by index. Datasets need none; [Sources] reads every dataset that the catalog opens.
///
/// Another module adds one by naming its class in `META-INF/services/dev.penstock.convert.SourceKind`. It is asked
/// after the kinds of this module, so it cannot take files away from them.
///
/// **Threads.** Must be safe for any number of threads.
public interface SourceKind {
    /// Describes such a source in messages, as in `a Parquet file`. Opening it as a dataset fails with this
    /// description and the advice.
    String description();

    /// What to do with such a source instead of opening it, as the end of a message.
    default String advice() {
        return "copy it into a dataset with `penstock convert`";
    }

    /// Whether a candidate is of this kind, judged by its first bytes, its name, or the names in its folder.
    boolean recognises(Candidate candidate) throws IOException;

    /// Whether the name alone decides, because the content has no magic number. A location whose content is that
    /// of a dataset is then a dataset.
    default boolean isByName() {
        return false;
    }

    /// Whether the kind is a folder whose files are values, which can also be those of a single field.
    default boolean isFolderOfFiles() {
        return false;
    }

    /// Whether records that cannot be read are left out if the options say so. For other kinds the option is an
    /// error.
    default boolean isSkipping() {
        return false;
    }

    /// Opens a location that was recognised.
    ///
    /// @throws dev.penstock.DatasetException when the bytes are damaged
    RecordSource open(Location location, SourceOptions options) throws IOException;

    /// Opens several locations of this kind as one source, in this order.
    ///
    /// @throws IllegalArgumentException when this kind reads one location at a time
    default RecordSource open(List<Location> locations, SourceOptions options) throws IOException {
        if (locations.size() > 1) {
            throw new IllegalArgumentException(locations.getFirst() + " and " + (locations.size() - 1)
                    + " more cannot be read as one source, because each is " + description()
                    + "; convert them one by one, and merge the results");
        }
        return open(locations.getFirst(), options);
    }
}
