// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;

/// Folders of Parquet files, and splits of them.
public final class ParquetFolderKind implements SourceKind {
    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a folder of Parquet files";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return ParquetFiles.isFolder(candidate);
    }

    /// Datasets come first: looking for the files takes time.
    @Override
    public boolean isByName() {
        return true;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return ParquetRecords.open(location, options);
    }
}
