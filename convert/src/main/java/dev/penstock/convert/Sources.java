// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/// Opens the records of any path: those of a dataset, or of another [SourceKind], such as a text file. Every
/// import and conversion starts here.
public final class Sources {
    private Sources() {}

    /// The kinds of this module, then those of other modules.
    private static final class All {
        static final List<SourceKind> KINDS = find();

        private static List<SourceKind> find() {
            List<SourceKind> all = new ArrayList<>(List.of(OwnKinds.values()));
            all.addAll(List.of(TextKinds.values()));
            all.addAll(List.of(PythonKinds.values()));
            ServiceLoader.load(SourceKind.class, Sources.class.getClassLoader()).forEach(all::add);
            return List.copyOf(all);
        }
    }

    /// Opens the records at a location. Wildcards, and numbers as in `train-{000..010}.tar`, open several files of
    /// one kind as one source.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    public static RecordSource open(Location location, SourceOptions options) throws IOException {
        List<Location> all = options.catalog().rawType() == null
                ? NumberedNames.expand(location, options.catalog())
                : List.of(location);
        Optional<SourceKind> kind = kind(all.getFirst(), options.catalog());
        requireSkipping(all.getFirst(), kind.orElse(null), options);
        requireText(all.getFirst(), kind.orElse(null), options);
        if (kind.isEmpty()) {
            return DatasetRecords.of(Catalog.open(location, options.catalog()), options.choice());
        }
        requireOneKind(all, kind.get(), options.catalog());
        RecordSource source = all.size() == 1
                ? kind.get().open(all.getFirst(), options)
                : kind.get().open(all, options);
        return ChosenRecords.of(SkippingRecords.of(source, options.bad()), options.choice());
    }

    /// Refuses to leave out records that cannot be read where that is not possible.
    private static void requireSkipping(Location location, SourceKind kind, SourceOptions options) {
        if (options.bad().isSkipping() && (kind == null || !kind.isSkipping())) {
            throw new IllegalArgumentException(location + " is " + (kind == null ? "a dataset" : kind.description())
                    + ", whose reader cannot leave out records that cannot be read; stop at the first one instead");
        }
    }

    /// Refuses types of fields for a source that has types of its own.
    private static void requireText(Location location, SourceKind kind, SourceOptions options) {
        boolean isText = kind instanceof TextKinds;
        if (!isText && !options.text().types().isEmpty()) {
            throw new IllegalArgumentException(location + " is " + (kind == null ? "a dataset" : kind.description())
                    + ", whose types are stored in it; types of fields can be given for CSV and JSON only");
        }
    }

    private static void requireOneKind(List<Location> all, SourceKind kind, Catalog.Options options)
            throws IOException {
        for (Location one : all.subList(1, all.size())) {
            Optional<SourceKind> found = kind(one, options);
            if (found.isEmpty() || found.get() != kind) {
                throw new IllegalArgumentException(all.getFirst() + " is " + kind.description() + ", but " + one
                        + " is not; choose files of one kind");
            }
        }
    }

    /// Opens the records at a path.
    public static RecordSource open(Path path, SourceOptions options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Returns the records of an open dataset. Closing the result closes the dataset.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    public static RecordSource of(Dataset dataset, RecordChoice choice) {
        return DatasetRecords.of(dataset, choice);
    }

    /// Selects fields and records of a source. The result owns the source.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    public static RecordSource chosen(RecordSource source, RecordChoice choice) throws IOException {
        return ChosenRecords.of(source, choice);
    }

    /// Opens the records of a location with the names and types of the declared fields of the rules. A folder
    /// that is no dataset has a file for each record.
    ///
    /// @throws IllegalArgumentException when the records do not fit
    public static RecordSource openFitting(Location location, Catalog.Options options, TextRules rules)
            throws IOException {
        Candidate candidate = Candidate.at(location, options.reading());
        Optional<SourceKind> kind = kind(location, options);
        boolean isFolderOfFiles = candidate.kind() == Candidate.Kind.FOLDER
                && kind.map(SourceKind::isFolderOfFiles).orElse(true)
                && Catalog.format(location, options).isEmpty();
        if (isFolderOfFiles) {
            if (rules.fields().size() > 1) {
                throw new IllegalArgumentException(
                        location + " is a folder of files, which can be the values of one field only; name the field");
            }
            return FileRecords.open(location, options.reading(), rules.fields().getFirst());
        }
        RecordSource source =
                open(location, SourceOptions.DEFAULT.withCatalog(options).withText(rules));
        return FittedRecords.of(source, rules.fields(), rules.isOneField());
    }

    /// Opens a CSV file, whatever its name is.
    ///
    /// @param name the name of the input in messages
    public static RecordSource openCsv(Location location, String name, Catalog.Options options, TextRules rules)
            throws IOException {
        return CsvRecords.open(new TextFile(location, options.reading(), name), rules, BadRecords.REFUSED);
    }

    /// Opens a stream of CSV with declared fields.
    ///
    /// @param name the name of the input in messages
    public static RecordSource openCsv(InputStream stream, String name, TextRules rules) {
        return CsvRecords.open(stream, name, rules);
    }

    /// Joins sources side by side: a record has the fields of all. The result owns them.
    public static RecordSource joined(List<? extends RecordSource> sources) {
        return JoinedRecords.of(List.copyOf(sources));
    }

    /// Whether a location is a dataset, or a source of another kind.
    public static boolean isKnown(Location location, Catalog.Options options) throws IOException {
        return Catalog.format(location, options).isPresent()
                || kind(location, options).isPresent();
    }

    /// The kind of a location; empty for a dataset and for unknown content.
    public static Optional<SourceKind> kind(Location location, Catalog.Options options) throws IOException {
        return options.rawType() == null ? kind(Candidate.at(location, options.reading())) : Optional.empty();
    }

    /// What a location is, as in `a Parquet file`, if its types are stored in it or follow from its content; empty
    /// for a file of plain numbers.
    public static Optional<String> typed(Location location, Catalog.Options options) throws IOException {
        Candidate candidate = Candidate.at(location, options.reading());
        Optional<String> kind = kind(candidate).map(SourceKind::description);
        return kind.isPresent()
                ? kind
                : Catalog.format(candidate).map(format -> "a dataset of the format " + format.format());
    }

    /// The kind of a candidate. The content decides before the name does.
    static Optional<SourceKind> kind(Candidate candidate) throws IOException {
        Optional<SourceKind> byContent = kind(candidate, false);
        return byContent.isPresent() || Catalog.format(candidate).isPresent() ? byContent : kind(candidate, true);
    }

    private static Optional<SourceKind> kind(Candidate candidate, boolean isByName) throws IOException {
        for (SourceKind kind : All.KINDS) {
            if (kind.isByName() == isByName && kind.recognises(candidate)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
