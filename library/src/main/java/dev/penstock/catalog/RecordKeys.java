// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Finds records by their keys: by the names that a format keeps, as a pack does, or by an index of keys.
///
/// An index is a tree from the bytes of each key to the index of its record. It is the file `keys.act` in the
/// folder of a dataset, and `NAME.keys.act` beside a dataset that is the file `NAME`. It has the number of
/// records and the fingerprint of the dataset that it was made for, and is not used for any other records.
///
/// **Ownership.** Closing the keys leaves the dataset open. **Threads.** Safe for any number of threads.
public final class RecordKeys implements AutoCloseable {
    /// The name of the index in the folder of a dataset, and the end of its name beside a single file.
    public static final String FILE = "keys.act";

    /// How the path begins that identifies the dataset of an index. It is not text, so no text is taken for it.
    private static final byte[] MARK = "\0\u00FFpenstock keys 1 ".getBytes(StandardCharsets.ISO_8859_1);

    private final Dataset dataset;
    private final TreeReader index;
    /// The first record of each name, or null for an index.
    private final Map<String, Long> names;

    private RecordKeys(Dataset dataset, TreeReader index, Map<String, Long> names) {
        this.dataset = dataset;
        this.index = index;
        this.names = names;
    }

    /// Opens the keys of an open dataset. Names that the format keeps are read into memory; an index is not.
    ///
    /// @throws IllegalArgumentException when the records have neither names nor an index
    /// @throws DatasetException         when the index was made for other records, or is damaged
    public static RecordKeys open(Dataset dataset, ReaderOptions options) throws IOException {
        if (hasNames(dataset)) {
            Map<String, Long> names = new HashMap<>();
            for (long i = 0; i < dataset.count(); i++) {
                String name = dataset.name(i);
                if (name != null) {
                    names.putIfAbsent(name, i);
                }
            }
            return new RecordKeys(dataset, null, names);
        }
        if (dataset.recipe().containsKey("view")) {
            throw new IllegalArgumentException("an index of keys leads to the records of " + dataset.location()
                    + ", not to those of a selection or combination of them; find the key there");
        }
        TreeReader index = openIndex(place(dataset, options), options);
        if (index == null) {
            throw new IllegalArgumentException("the records of " + dataset.location()
                    + " have no names, and there is no index of keys with them; a conversion that is told which field"
                    + " has the names makes one");
        }
        try {
            requireSame(dataset, index);
            return new RecordKeys(dataset, index, null);
        } catch (Throwable e) {
            index.close();
            throw e;
        }
    }

    /// Whether the format keeps names, and the first record has one.
    public static boolean hasNames(Dataset dataset) {
        return dataset.count() > 0 && dataset.name(0) != null;
    }

    private static Location place(Dataset dataset, ReaderOptions options) throws IOException {
        Location location = dataset.location();
        boolean isFolder = Candidate.at(location, options).kind() == Candidate.Kind.FOLDER;
        if (isFolder) {
            return location.resolve(FILE);
        }
        String name = location.name() + "." + FILE;
        return location.isLocal()
                ? Location.of(location.path().resolveSibling(name))
                : location.parent().resolve(name);
    }

    private static TreeReader openIndex(Location place, ReaderOptions options) throws IOException {
        try {
            return TreeReader.open(place, TreeReader.Options.DEFAULT.withReading(options));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void requireSame(Dataset dataset, TreeReader index) throws IOException {
        OptionalLong count = index.get(mark(dataset.fingerprint()));
        if (count.isEmpty() || count.getAsLong() != dataset.count()) {
            throw new DatasetException.Corrupt(
                    index.location(),
                    0,
                    Reason.COUNT_MISMATCH,
                    "this index of keys was made for other records than those of " + dataset.location() + ", which has "
                            + dataset.count() + "; remove the index, or convert the records again to make a new one");
        }
    }

    /// The path in an index that identifies the dataset. Its value is the number of records.
    public static byte[] mark(String fingerprint) {
        byte[] text = fingerprint.getBytes(StandardCharsets.UTF_8);
        byte[] mark = Arrays.copyOf(MARK, MARK.length + text.length);
        System.arraycopy(text, 0, mark, MARK.length, text.length);
        return mark;
    }

    /// Whether a key begins as the path that identifies the dataset of an index does.
    public static boolean isReserved(byte[] key) {
        return key.length >= MARK.length && Arrays.equals(MARK, 0, MARK.length, key, 0, MARK.length);
    }

    /// The index of the record with a key. Keys are UTF-8; a whole number is written in decimal.
    public OptionalLong find(String key) {
        return find(key.getBytes(StandardCharsets.UTF_8));
    }

    /// The index of the record with a key. If several records of a pack have the name the first one counts.
    ///
    /// @throws DatasetException when the index is damaged
    public OptionalLong find(byte[] key) {
        if (names != null) {
            Long found = names.get(new String(key, StandardCharsets.UTF_8));
            return found == null ? OptionalLong.empty() : OptionalLong.of(found);
        }
        OptionalLong found = isReserved(key) ? OptionalLong.empty() : index.get(key);
        if (found.isPresent() && Long.compareUnsigned(found.getAsLong(), dataset.count()) >= 0) {
            throw new DatasetException.Corrupt(
                    index.location(),
                    0,
                    Reason.OUT_OF_RANGE,
                    "the index of keys leads to record " + Long.toUnsignedString(found.getAsLong())
                            + ", but there are only " + dataset.count());
        }
        return found;
    }

    @Override
    public void close() {
        if (index != null) {
            index.close();
        }
    }
}
