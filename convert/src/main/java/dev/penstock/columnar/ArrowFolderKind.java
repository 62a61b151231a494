// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;

/// Folders of Arrow files, such as those that `save_to_disk` of Hugging Face datasets writes.
public final class ArrowFolderKind implements SourceKind {
    @Override
    public String description() {
        return "a folder of Arrow files";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return ArrowFiles.isFolder(candidate);
    }

    /// Datasets come first: looking for the files takes time.
    @Override
    public boolean isByName() {
        return true;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return ArrowRecords.open(location, options);
    }
}
