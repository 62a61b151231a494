// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Fingerprint;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The records of a text file.
interface TextRecords extends RecordSource {
    /// Progress is reported after as many records.
    int PROGRESS_RECORDS = 4096;

    /// The file.
    Path path();

    /// The first word of the fingerprint.
    String kind();

    /// @throws NoSuchFileException when the file does not exist
    static void requireFile(Path path) throws IOException {
        if (!Disk.real().exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
    }

    @Override
    default String fingerprint() throws IOException {
        try (Disk.Readable file = Disk.real().open(path())) {
            return new Fingerprint(kind())
                    .add(file.size())
                    .addSample(file.size(), file::read)
                    .text();
        }
    }

    @Override
    default Optional<Dataset> dataset() {
        return Optional.empty();
    }
}
