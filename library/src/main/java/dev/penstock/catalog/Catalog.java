// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FormatOptions;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.pack.PackReader;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Opens datasets of any format, going by what is in the file and never by its name.
public final class Catalog {
    private static final int HEAD_SIZE = 16;

    private Catalog() {}

    /// How a format begins.
    private record Signature(String what, byte[] start) {
        static Signature of(String what, String start) {
            return new Signature(what, start.getBytes(StandardCharsets.ISO_8859_1));
        }

        boolean matches(byte[] head) {
            return head.length >= start.length && Arrays.equals(head, 0, start.length, start, 0, start.length);
        }
    }

    private static final Signature PACK = Signature.of("pack", "A2PACK\0\0");
    private static final Signature TABLE = Signature.of("table", "\u0093NUMPY");
    private static final Signature TREE = Signature.of("tree", "ACTree0");

    /// How to open whatever it is.
    ///
    /// @param reading   what all formats share
    /// @param isLenient whether to read what can be read of a dataset whose list of files is damaged
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
            Signature.of("a zip archive", "PK\u0003\u0004"),
            Signature.of("a Parquet file", "PAR1"),
            Signature.of("a single run of the game 2048", "A2T1"));

    /// Whether what is at a path is a tree, which has paths and values and no records by index: [TreeReader] opens
    /// it.
    public static boolean isTree(Path path) throws IOException {
        return Files.isRegularFile(path) && TREE.matches(head(path));
    }

    /// Opens what is at a path.
    ///
    /// @throws DatasetException.WrongFormat when it is no format of ours
    public static Dataset open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens what is at a path in a certain way.
    public static Dataset open(Path path, Options options) throws IOException {
        if (Files.isDirectory(path) && !TableReader.isTable(path)) {
            throw new DatasetException.WrongFormat(
                    path, "a folder that is no dataset; `pack build` makes one of its files");
        }
        if (Files.isDirectory(path) || !Files.exists(path)) {
            return TableReader.open(path, options.table());
        }
        byte[] head = head(path);
        if (PACK.matches(head)) {
            return PackReader.open(path, options.pack());
        }
        if (TABLE.matches(head)) {
            return TableReader.open(path, options.table());
        }
        if (TREE.matches(head)) {
            throw new DatasetException.WrongFormat(
                    path, "this is a tree, which has paths instead of records; see `tree --help`");
        }
        Optional<Signature> foreign =
                FOREIGN.stream().filter(signature -> signature.matches(head)).findFirst();
        String found = head.length == 0
                ? "the file is empty"
                : foreign.map(signature -> "this is " + signature.what()).orElse("bad magic");
        throw new DatasetException.WrongFormat(path, "no known dataset format: " + found);
    }

    /// What rows of a table hold these fields of a dataset: with the types of the table where it is one.
    ///
    /// @throws IllegalArgumentException when a field has no fixed size
    public static RowType rowType(Dataset dataset, List<Field> fields) {
        return dataset instanceof TableReader table ? table.rowType().only(fields) : RowType.of(fields);
    }

    /// Checks every byte of what is at a path. A file that cannot be opened is a result too.
    public static Verification verify(Path path, Options options, Progress progress) throws IOException {
        try {
            return isTree(path) ? verifyTree(path, options, progress) : verifyDataset(path, options, progress);
        } catch (DatasetException e) {
            return Verification.refused(e);
        }
    }

    /// Opened leniently, so that a damaged list of shards does not keep the shards from being checked.
    private static Verification verifyDataset(Path path, Options options, Progress progress) throws IOException {
        try (Dataset dataset = open(path, options.withLenient(true))) {
            return dataset.verify(progress);
        }
    }

    /// Opened leniently, so that what only a strict reader refuses is listed and not refused.
    private static Verification verifyTree(Path path, Options options, Progress progress) throws IOException {
        TreeReader.Options lenient =
                TreeReader.Options.DEFAULT.withReading(options.reading()).withStrict(false);
        try (TreeReader tree = TreeReader.open(path, lenient)) {
            return tree.verify(progress);
        }
    }

    private static byte[] head(Path path) throws IOException {
        byte[] head = new byte[HEAD_SIZE];
        try (Disk.Readable file = Disk.real().open(path)) {
            return Arrays.copyOf(head, (int) file.read(0, MemorySegment.ofArray(head)));
        }
    }
}
