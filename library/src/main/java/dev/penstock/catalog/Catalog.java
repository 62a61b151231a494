// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.ListedStorage;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.pack.PackReader;
import dev.penstock.shards.ShardReader;
import dev.penstock.store.StoreReader;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/// Opens datasets of any format. The format is determined by the content, never by the name. Several datasets can
/// be opened as one.
public final class Catalog {
    private static final List<Format> LIBRARY = library();

    private Catalog() {}

    /// The formats of other modules. They are searched for when first needed, because that opens all jars.
    private static final class Others {
        static final List<Format> FORMATS =
                List.copyOf(ServiceLoader.load(Format.class, Catalog.class.getClassLoader()).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList());
    }

    /// Options for opening a dataset of any format.
    ///
    /// @param reading       the options that all formats share
    /// @param isLenient     whether to read as much as possible of a dataset whose manifest is damaged, and shards
    ///                      that only their original reader accepts
    /// @param rawType       the type of the rows of a file without a header; null for all other files
    /// @param hasFirstCheck whether bytes that differ from their checksum are never returned: each shard of a
    ///                      table is compared with its checksum before its first row is read; packs and stores
    ///                      compare every record anyway. Datasets without checksums are refused
    public record Options(ReaderOptions reading, boolean isLenient, RowType rawType, boolean hasFirstCheck)
            implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, false, null, false);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isLenient, rawType, hasFirstCheck);
        }

        /// Sets the cache of remote objects on the local disk, instead of that of the environment.
        public Options withCache(CacheOptions cache) {
            return withReading(reading.withCache(cache));
        }

        public Options withLenient(boolean isLenient) {
            return new Options(reading, isLenient, rawType, hasFirstCheck);
        }

        /// Sets the type of the rows of a file without a header.
        public Options withRawType(RowType rawType) {
            return new Options(reading, isLenient, rawType, hasFirstCheck);
        }

        public Options withFirstCheck(boolean hasFirstCheck) {
            return new Options(reading, isLenient, rawType, hasFirstCheck);
        }

        /// The options for a pack.
        public PackReader.Options pack() {
            return PackReader.Options.DEFAULT.withReading(reading);
        }

        /// The options for a store.
        public StoreReader.Options store() {
            return StoreReader.Options.DEFAULT.withReading(reading);
        }

        /// The options for shards.
        ///
        /// @throws IllegalArgumentException with the first check, which shards do not have
        public ShardReader.Options shards() {
            if (hasFirstCheck) {
                throw new IllegalArgumentException(
                        "activation shards are not compared with checksums when they are read;"
                                + " open them without the first check, and verify them");
            }
            return ShardReader.Options.DEFAULT.withReading(reading).withLenient(isLenient);
        }

        /// The options for a table.
        public TableReader.Options table() {
            return TableReader.Options.DEFAULT
                    .withReading(reading)
                    .withLenient(isLenient)
                    .withFirstCheck(hasFirstCheck);
        }
    }

    private static List<Format> library() {
        List<Format> formats = new ArrayList<>(List.of(LibraryFormats.values()));
        formats.add(new CatalogParts());
        formats.add(new CatalogTree());
        formats.add(new CatalogShards());
        return List.copyOf(formats);
    }

    /// Determines the format of a path, if it is a known one.
    ///
    /// @throws IOException when the path exists but cannot be read
    public static Optional<Format> format(Path path, Options options) throws IOException {
        return format(Location.of(path), options);
    }

    /// Determines the format of a location, if it is a known one.
    ///
    /// @throws IOException when the location exists but cannot be read
    public static Optional<Format> format(Location location, Options options) throws IOException {
        return format(Candidate.at(location, options.reading()));
    }

    /// Determines the format of a candidate, if it is a known one. The first bytes decide about a file. For
    /// folders and absent paths, formats of other modules are asked first.
    public static Optional<Format> format(Candidate candidate) throws IOException {
        boolean isFile = candidate.kind() == Candidate.Kind.FILE;
        Optional<Format> first = first(isFile ? LIBRARY : Others.FORMATS, candidate);
        return first.isPresent() ? first : first(isFile ? Others.FORMATS : LIBRARY, candidate);
    }

    private static Optional<Format> first(List<Format> formats, Candidate candidate) throws IOException {
        for (Format format : formats) {
            if (format.recognises(candidate)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /// Whether a location is a tree, which has paths and values instead of records by index.
    /// [TreeReader][dev.penstock.tree.TreeReader] opens it.
    public static boolean isTree(Location location) throws IOException {
        return new CatalogTree().recognises(Candidate.at(location, ReaderOptions.DEFAULT));
    }

    /// Opens the dataset at a path.
    ///
    /// @throws DatasetException.WrongFormat when the format is not known
    public static Dataset open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens the dataset at a path with options.
    public static Dataset open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens the dataset at a location, which is local or remote.
    ///
    /// @throws DatasetException.WrongFormat when the format is not known
    /// @throws IllegalArgumentException     when there is no storage for the scheme of the location
    public static Dataset open(Location location) throws IOException {
        return open(location, Options.DEFAULT);
    }

    /// Opens the dataset at a location with options. A location with wildcards, such as `stores/day-*`, opens all
    /// datasets that match as one, in the order of the UTF-8 bytes of their names.
    ///
    /// @throws IllegalArgumentException when a dataset without checksums is opened with the first check
    public static Dataset open(Location location, Options options) throws IOException {
        if (isPattern(location, options)) {
            return DatasetList.open(location, PathPattern.expand(options.reading(), location), options);
        }
        Options listed = options.withReading(ListedStorage.reading(location, options.reading()));
        return options.rawType() == null
                ? requireChecked(location, listed).open(location, listed)
                : openRaw(location, options);
    }

    /// The format of a location.
    ///
    /// @throws IllegalArgumentException when the options ask for checks that the format does not make
    private static Format requireChecked(Location location, Options options) throws IOException {
        Format format = require(location, options);
        if (options.hasFirstCheck() && !format.isChecked()) {
            throw new IllegalArgumentException(location + " has the format " + format.format()
                    + ", whose records are not compared with checksums when they are read; open it without the first"
                    + " check, and verify it");
        }
        return format;
    }

    /// Opens several datasets with the same fields as one, in the order of the list. A location with wildcards
    /// adds all datasets that match. Activation shards make one corpus, as a folder of them does; other datasets
    /// become a [dev.penstock.view.Concat]. Closing the result closes them.
    ///
    /// @throws IllegalArgumentException when the list is empty, or a field differs; the message says which
    /// @throws NoSuchFileException      when a location does not exist, or nothing matches it
    public static Dataset open(List<Location> locations, Options options) throws IOException {
        List<Location> all = new ArrayList<>();
        for (Location one : locations) {
            all.addAll(expand(one, options));
        }
        return isCorpus(all, options)
                ? ShardReader.open(all, options.shards())
                : DatasetList.open(all.isEmpty() ? Location.of(Path.of("")) : all.getFirst(), all, options);
    }

    /// Whether all locations are files of activation shards, which are opened as one corpus.
    public static boolean isCorpus(List<Location> locations, Options options) throws IOException {
        for (Location one : locations) {
            Candidate candidate = Candidate.at(one, options.reading());
            boolean isShard = candidate.kind() == Candidate.Kind.FILE
                    && format(candidate).filter(CatalogShards.class::isInstance).isPresent();
            if (!isShard) {
                return false;
            }
        }
        return !locations.isEmpty() && options.rawType() == null;
    }

    /// The names of the arrays of an `.npz` file that can be read side by side: plain values, all of one length.
    /// Empty when there are others, or the location is no such file.
    public static List<String> arraysOfOneLength(Location archive, Options options) throws IOException {
        try {
            List<String> names = TableReader.arrays(archive, options.reading());
            long length = -1;
            for (String name : names) {
                try (TableReader array = TableReader.open(archive.resolve(name), options.table())) {
                    boolean isPlain = array.fields().getFirst().name().equals(RowType.VALUE) && !array.isScalar();
                    if (!isPlain || (length >= 0 && array.count() != length)) {
                        return List.of();
                    }
                    length = array.count();
                }
            }
            return names;
        } catch (DatasetException e) {
            // Opening the archive, or the array, says what is wrong.
            return List.of();
        }
    }

    /// The locations that match a location with wildcards, in the order of the UTF-8 bytes of their names, or the
    /// location itself if it has none.
    ///
    /// @throws NoSuchFileException when nothing matches
    public static List<Location> expand(Location location, Options options) throws IOException {
        return isPattern(location, options) ? PathPattern.expand(options.reading(), location) : List.of(location);
    }

    /// Whether a location has wildcards. A file may have such a name itself, and activation shards have patterns
    /// of their own.
    private static boolean isPattern(Location location, Options options) throws IOException {
        return PathPattern.isPattern(location)
                && !options.reading().storageOf(location).exists(location)
                && format(location, options).isEmpty();
    }

    private static Dataset openRaw(Location location, Options options) throws IOException {
        Candidate candidate = Candidate.at(location, options.reading());
        if (candidate.kind() == Candidate.Kind.ABSENT) {
            throw absent(location);
        }
        if (candidate.kind() == Candidate.Kind.FOLDER) {
            throw new IllegalArgumentException(
                    location + " is a folder; a type can only be given for a single file without a header");
        }
        Optional<Format> format = format(candidate);
        if (format.isPresent()) {
            throw new IllegalArgumentException(location + " is a "
                    + format.get().format() + ", whose type is" + " stored in the file; open it without a type");
        }
        return TableReader.openRaw(location, options.rawType(), options.table());
    }

    private static Format require(Location location, Options options) throws IOException {
        Candidate candidate = Candidate.at(location, options.reading());
        Optional<Format> format = format(candidate);
        if (format.isPresent()) {
            return format.get();
        }
        if (candidate.kind() == Candidate.Kind.ABSENT) {
            throw absent(location);
        }
        throw candidate.kind() == Candidate.Kind.FOLDER
                ? new DatasetException.WrongFormat(location, foundFolder(candidate))
                : unknown(candidate);
    }

    private static NoSuchFileException absent(Location location) {
        return location.isLocal()
                ? new NoSuchFileException(location.toString())
                : new NoSuchFileException(
                        location.toString(),
                        null,
                        "there is no such file; a folder needs an index page that lists its files, or a manifest");
    }

    private static String foundFolder(Candidate folder) throws IOException {
        Optional<String> known = ForeignFile.recognise(folder);
        if (known.isPresent()) {
            return "this is " + known.get();
        }
        List<Location> files = folder.storage().list(folder.location());
        if (files.isEmpty()) {
            return "this folder is empty; check the path";
        }
        boolean hasArrays = files.stream().anyMatch(file -> file.name().endsWith(".npy"));
        return hasArrays
                ? "this folder is not a dataset; to read its .npy files as one table, give the pattern '"
                        + folder.location().resolve("*.npy") + "'"
                : "this folder is not a dataset; `penstock pack build` packs its files into one";
    }

    private static DatasetException unknown(Candidate file) throws IOException {
        String start = "unknown dataset format: ";
        if (file.head().length == 0) {
            return new DatasetException.WrongFormat(file.location(), start + "the file is empty");
        }
        return ForeignFile.recognise(file)
                .<DatasetException>map(
                        what -> new DatasetException.WrongFormat(file.location(), start + "this is " + what))
                .orElseGet(() -> new DatasetException.UnknownFormat(
                        file.location(),
                        start + "no known magic number; to open a file of plain numbers, give their type"));
    }

    /// The row type of a table that holds these fields of a dataset. If the dataset has stored rows, it uses their
    /// types.
    ///
    /// @throws IllegalArgumentException when a field is variable
    public static RowType rowType(Dataset dataset, List<Field> fields) {
        return dataset instanceof StoredRows stored
                ? new RowType(DType.parse(stored.itemType()), stored.rowShape()).only(fields)
                : RowType.of(fields);
    }

    /// Verifies the dataset at a path. A file that cannot be opened is reported as a finding.
    public static Verification verify(Path path, Options options, Progress progress) throws IOException {
        return verify(Location.of(path), options, progress);
    }

    /// Verifies the dataset at a location. A file that cannot be opened is reported as a finding.
    public static Verification verify(Location location, Options options, Progress progress) throws IOException {
        // All findings are listed, and not only the first.
        Options unchecked = options.withFirstCheck(false);
        try {
            if (options.rawType() != null || isPattern(location, options)) {
                try (Dataset dataset = open(location, unchecked)) {
                    return dataset.verify(progress);
                }
            }
            Options listed = unchecked.withReading(ListedStorage.reading(location, unchecked.reading()));
            return require(location, listed).verify(location, listed, progress);
        } catch (DatasetException e) {
            return Verification.refused(e);
        }
    }
}
