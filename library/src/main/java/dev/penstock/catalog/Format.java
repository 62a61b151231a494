// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// A format that [Catalog] can open.
///
/// Another module adds a format by naming its class in `META-INF/services/dev.penstock.catalog.Format`. For a
/// folder, formats of other modules are asked before those of the library, so that they can refine one: a folder
/// that is a table and more. For a file they are asked after those of the library.
///
/// **Threads.** Must be safe for any number of threads.
public interface Format {
    /// The name of the format, as returned by [Dataset#format].
    String format();

    /// Whether a candidate has this format, judged by its first bytes or the names in its folder. [#open] finds
    /// damage in the rest.
    boolean recognises(Candidate candidate) throws IOException;

    /// Opens a location that was recognised.
    ///
    /// @throws DatasetException when the dataset is damaged, or has no records
    Dataset open(Location location, Catalog.Options options) throws IOException;

    /// The files of a dataset in a folder, which a copy needs. A dataset that is one file needs no answer.
    ///
    /// @throws IllegalArgumentException when datasets of this format cannot be copied
    default DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
        throw new IllegalArgumentException(folder + " has the format " + format()
                + ", whose files are not known; copy the folder with a program for files");
    }

    /// Whether a dataset that is opened with [Catalog.Options#hasFirstCheck] never returns bytes that differ from
    /// their checksum. [#open] throws an [IllegalArgumentException] for a dataset of this format that has no
    /// checksums.
    default boolean isChecked() {
        return false;
    }

    /// Verifies a location that was recognised. It is read leniently, so that as much as possible is checked.
    default Verification verify(Location location, Catalog.Options options, Progress progress) throws IOException {
        try (Dataset dataset = open(location, options.withLenient(true))) {
            return dataset.verify(progress);
        }
    }

    /// What to tell somebody who has appended rows to the files of such a dataset without its knowledge.
    default Optional<String> remarkAfterAppend(Path path) {
        return Optional.empty();
    }
}
