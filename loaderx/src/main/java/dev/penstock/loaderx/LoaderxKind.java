// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.ForeignKind;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.Optional;

/// Stores of loaderx as sources of conversions. They are no datasets, because their records have no checksums and
/// other programs may be writing them.
public final class LoaderxKind implements SourceKind, ForeignKind {
    @Override
    public String description() {
        return "a loaderx store";
    }

    @Override
    public String advice() {
        return "copy it with `penstock store import` into a store that can be opened";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return candidate.kind() == Candidate.Kind.FOLDER
                && candidate.isOnDisk()
                && LoaderxStore.isStore(candidate.disk(), candidate.path());
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return LoaderxRecords.open(location.path(), options.catalog().disk(), "value");
    }

    @Override
    public Optional<String> describe(Candidate candidate) throws IOException {
        boolean isStore = candidate.kind() == Candidate.Kind.FOLDER
                && candidate.storage().exists(candidate.location().resolve(LoaderxFormat.META));
        return isStore ? Optional.of(description() + "; " + advice()) : Optional.empty();
    }
}
