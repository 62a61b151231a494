// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FormatOptions;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.pack.PackReader;
import dev.penstock.shards.ShardReader;
import dev.penstock.store.StoreReader;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/// Opens datasets of any format, going by what is in the file and never by its name.
public final class Catalog {
    /// The formats of other modules, then those of the library.
    private static final List<Format> FORMATS = formats();

    private Catalog() {}

    /// How a file of another program begins.
    private record Signature(String what, byte[] start) {
        static Signature of(String what, String start) {
            return new Signature(what, start.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /// How to open whatever it is.
    ///
    /// @param reading   what all formats share
    /// @param isLenient whether to read what can be read of a dataset whose list of files is damaged, and shards
    ///                  that only their original reader accepts
    public record Options(ReaderOptions reading, boolean isLenient) implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, false);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isLenient);
        }

        public Options withLenient(boolean isLenient) {
            return new Options(reading, isLenient);
        }

        /// The same for a pack.
        public PackReader.Options pack() {
            return PackReader.Options.DEFAULT.withReading(reading);
        }

        /// The same for a store.
        public StoreReader.Options store() {
            return StoreReader.Options.DEFAULT.withReading(reading);
        }

        /// The same for shards.
        public ShardReader.Options shards() {
            return ShardReader.Options.DEFAULT.withReading(reading).withLenient(isLenient);
        }

        /// The same for a table.
        public TableReader.Options table() {
            return TableReader.Options.DEFAULT.withReading(reading).withLenient(isLenient);
        }
    }

    /// What people have lying about, so that the message can name it.
    private static final List<Signature> FOREIGN = List.of(
            Signature.of("a Python pickle, which is never read because reading one runs code", "\u0080\u0002"),
            Signature.of("a Python pickle, which is never read because reading one runs code", "\u0080\u0003"),
            Signature.of("a Python pickle, which is never read because reading one runs code", "\u0080\u0004"),
            Signature.of("a Python pickle, which is never read because reading one runs code", "\u0080\u0005"),
            Signature.of("an SQLite database", "SQLite format 3\0"),
            Signature.of("gzip data", "\u001f\u008b"),
            Signature.of("Zstandard data", "\u0028\u00b5\u002f\u00fd"),
            Signature.of("a Parquet file", "PAR1"),
            Signature.of("a single run of the game 2048", "A2T1"));

    private static List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        ServiceLoader.load(Format.class, Catalog.class.getClassLoader()).forEach(formats::add);
        formats.addAll(List.of(LibraryFormats.values()));
        formats.add(new ShardsEntry());
        return List.copyOf(formats);
    }

    /// The format of what is at a path, if it is one of ours.
    ///
    /// @throws IOException when there is something that cannot be read
    public static Optional<Format> format(Path path, Options options) throws IOException {
        return format(Candidate.at(path, options.disk()));
    }

    private static Optional<Format> format(Candidate candidate) throws IOException {
        for (Format format : FORMATS) {
            if (format.recognises(candidate)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /// Whether what is at a path is a tree, which has paths and values and no records by index: [TreeReader] opens
    /// it.
    public static boolean isTree(Path path) throws IOException {
        return LibraryFormats.TREE.recognises(Candidate.at(path, Disk.real()));
    }

    /// Opens what is at a path.
    ///
    /// @throws DatasetException.WrongFormat when it is no format of ours
    public static Dataset open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens what is at a path in a certain way.
    public static Dataset open(Path path, Options options) throws IOException {
        return require(path, options).open(path, options);
    }

    private static Format require(Path path, Options options) throws IOException {
        Candidate candidate = Candidate.at(path, options.disk());
        Optional<Format> format = format(candidate);
        if (format.isPresent()) {
            return format.get();
        }
        if (candidate.kind() == Candidate.Kind.ABSENT) {
            throw new NoSuchFileException(path.toString());
        }
        throw new DatasetException.WrongFormat(
                path,
                candidate.kind() == Candidate.Kind.FOLDER
                        ? foundFolder(candidate)
                        : "no known dataset format: " + found(candidate));
    }

    private static String foundFolder(Candidate folder) throws IOException {
        return folder.disk().exists(folder.path().resolve("meta.zr"))
                ? "a store of loaderx; `store import` copies it into a store that can be opened"
                : "a folder that is no dataset; `pack build` makes one of its files";
    }

    private static String found(Candidate file) {
        if (file.head().length == 0) {
            return "the file is empty";
        }
        return FOREIGN.stream()
                .filter(signature -> file.startsWith(signature.start()))
                .findFirst()
                .map(signature -> "this is " + signature.what())
                .orElse("bad magic");
    }

    /// What rows of a table hold these fields of a dataset: with the types they are stored in where it has such
    /// rows.
    ///
    /// @throws IllegalArgumentException when a field has no fixed size
    public static RowType rowType(Dataset dataset, List<Field> fields) {
        return dataset instanceof StoredRows stored
                ? new RowType(DType.parse(stored.itemType()), stored.rowShape()).only(fields)
                : RowType.of(fields);
    }

    /// Checks every byte of what is at a path. A file that cannot be opened is a result too.
    public static Verification verify(Path path, Options options, Progress progress) throws IOException {
        try {
            return require(path, options).verify(path, options, progress);
        } catch (DatasetException e) {
            return Verification.refused(e);
        }
    }
}
