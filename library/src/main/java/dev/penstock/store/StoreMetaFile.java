// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A `meta.json` that was read, or `meta.switch` if a publish was interrupted.
///
/// @param bytes      the bytes that were read, to notice a change
/// @param isSwitched whether it is `meta.switch`
record StoreMetaFile(StoreMeta meta, byte[] bytes, boolean isSwitched) {
    private static final int FIND_ATTEMPTS = 4;

    /// Reads the `meta.json` of a store, or else `meta.switch`. Returns null when there is neither.
    ///
    /// @throws DatasetException when it is damaged, has a newer version, or belongs to another program
    static StoreMetaFile find(Disk disk, Path store) throws IOException {
        return find(Storage.of(disk), Location.of(store));
    }

    static StoreMetaFile find(Storage storage, Location store) throws IOException {
        // A publish may end between the two looks, so that each file is absent when it is looked for.
        for (int attempt = 0; attempt < FIND_ATTEMPTS; attempt++) {
            for (String name : List.of(StoreFormat.META, StoreFormat.META_SWITCH)) {
                Location file = store.resolve(name);
                byte[] bytes = ChecksummedJson.read(storage, file);
                if (bytes != null) {
                    return new StoreMetaFile(read(file, bytes), bytes, name.equals(StoreFormat.META_SWITCH));
                }
            }
        }
        return null;
    }

    /// Whether there is a `meta.json` or `meta.switch`.
    static boolean exists(Storage storage, Location store) throws IOException {
        for (int attempt = 0; attempt < FIND_ATTEMPTS; attempt++) {
            if (storage.exists(store.resolve(StoreFormat.META))
                    || storage.exists(store.resolve(StoreFormat.META_SWITCH))) {
                return true;
            }
        }
        return false;
    }

    /// The exception for a path at which there is no store.
    static NoSuchFileException absent(Disk disk, Path store) throws IOException {
        return absent(Storage.of(disk), Location.of(store));
    }

    static NoSuchFileException absent(Storage storage, Location store) throws IOException {
        String reason = storage.exists(store) ? "this is not a store: it has no " + StoreFormat.META : null;
        return new NoSuchFileException(store.toString(), null, reason);
    }

    /// Whether another file has the same bytes.
    ///
    /// @param other may be null
    boolean isSame(StoreMetaFile other) {
        return other != null && Arrays.equals(bytes, other.bytes);
    }

    static StoreMeta read(Path file, byte[] bytes) {
        return read(Location.of(file), bytes);
    }

    static StoreMeta read(Location file, byte[] bytes) {
        try {
            if (!ChecksummedJson.hasChecksum(bytes)
                    && Json.parse(bytes) instanceof Map<?, ?> plain
                    && plain.get("zr") == null) {
                requirePlainVersion(file, plain.get("version"));
                return StoreMeta.ofPlain(MetaValues.of(StoreFormat.META, plain));
            }
            Map<?, ?> values = ChecksummedJson.parse(bytes);
            requireVersion(file, values);
            return StoreMeta.of(MetaValues.of(StoreFormat.META, values));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the metadata of the store is damaged: " + e.getMessage(), e);
        }
    }

    private static void requireVersion(Location file, Map<?, ?> values) {
        Object layout = values.get("zr") instanceof Map<?, ?> zr ? zr.get("layout") : null;
        boolean isKnown =
                Long.valueOf(StoreFormat.VERSION).equals(values.get("version")) && StoreFormat.LAYOUT.equals(layout);
        if (!isKnown) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    0,
                    Reason.UNSUPPORTED_VERSION,
                    "version " + values.get("version") + " with layout " + layout
                            + " is not supported; this program reads version " + StoreFormat.VERSION + " with layout "
                            + StoreFormat.LAYOUT);
        }
    }

    /// The version is optional in the published layout.
    private static void requirePlainVersion(Location file, Object version) {
        if (version != null && !version.equals((long) StoreFormat.VERSION)) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    0,
                    Reason.UNSUPPORTED_VERSION,
                    "version " + version + " is not supported; this program reads version " + StoreFormat.VERSION);
        }
    }
}
