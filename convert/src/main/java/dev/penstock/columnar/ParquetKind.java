// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;

/// Parquet files, which have a magic number.
public final class ParquetKind implements SourceKind {
    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a Parquet file";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(ParquetFooter.MAGIC);
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return ParquetRecords.open(location, options);
    }
}
