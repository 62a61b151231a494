// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/// Opens the records of any path for a conversion: those of a dataset, or of a [SourceKind].
public final class Sources {
    private static final List<SourceKind> OWN = List.of(new TreeSource());

    private Sources() {}

    /// The kinds of this module, then those of other modules.
    private static final class All {
        static final List<SourceKind> KINDS = find();

        private static List<SourceKind> find() {
            List<SourceKind> all = new ArrayList<>(OWN);
            ServiceLoader.load(SourceKind.class, Sources.class.getClassLoader()).forEach(all::add);
            return List.copyOf(all);
        }
    }

    /// Opens the records at a path.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    public static RecordSource open(Path path, Catalog.Options options, RecordChoice choice) throws IOException {
        Optional<SourceKind> kind = options.rawType() == null ? kind(path, options) : Optional.empty();
        return kind.isPresent()
                ? ChosenRecords.of(kind.get().open(path, options), choice)
                : DatasetRecords.of(Catalog.open(path, options), choice);
    }

    /// Returns the records of an open dataset. Closing the result closes the dataset.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    public static RecordSource of(Dataset dataset, RecordChoice choice) {
        return DatasetRecords.of(dataset, choice);
    }

    private static Optional<SourceKind> kind(Path path, Catalog.Options options) throws IOException {
        Candidate candidate = Candidate.at(path, options.disk());
        for (SourceKind kind : All.KINDS) {
            if (kind.recognises(candidate)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
