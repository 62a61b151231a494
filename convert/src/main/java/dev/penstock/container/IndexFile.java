// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.file.Json;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;

/// The file `index.json` in a folder, which MDS and LitData write.
final class IndexFile {
    static final String NAME = "index.json";

    private IndexFile() {}

    /// Whether a folder has an index with these keys.
    static boolean has(Candidate candidate, String... keys) throws IOException {
        if (candidate.kind() != Candidate.Kind.FOLDER) {
            return false;
        }
        Storage storage = candidate.storage();
        Location file = candidate.location().resolve(NAME);
        if (!storage.exists(file) || storage.isFolder(file)) {
            return false;
        }
        try {
            Map<?, ?> values = read(candidate.location(), candidate.options()).values();
            for (String key : keys) {
                if (!values.containsKey(key)) {
                    return false;
                }
            }
            return true;
        } catch (DatasetException e) {
            return false;
        }
    }

    /// Reads the index of a folder.
    static JsonObject read(Location folder, ReaderOptions options) throws IOException {
        Location file = folder.resolve(NAME);
        try (ByteInput input = SourceFile.of(file, options).open()) {
            byte[] text = new byte[Json.SIZE_MAX];
            int size = input.readSome(text, 0, text.length);
            if (!input.isAtEnd()) {
                throw input.corrupt(size, Reason.OUT_OF_RANGE, "an index of more than " + size + " bytes is too large");
            }
            return parse(file, () -> {
                if (!(Json.parse(Arrays.copyOf(text, size)) instanceof Map<?, ?> values)) {
                    throw new IllegalArgumentException("it is not an object");
                }
                return new JsonObject(values);
            });
        }
    }

    /// Reads something of the index, and names the file if that fails.
    static <T> T parse(Location file, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the index is invalid: " + e.getMessage(), e);
        }
    }

    /// The file of a shard. A name must not lead out of the folder.
    static SourceFile shard(Location folder, String name, ReaderOptions options) throws IOException {
        if (name.isEmpty() || name.contains("..") || name.startsWith("/") || name.contains("\\")) {
            throw new DatasetException.Corrupt(
                    folder.resolve(NAME), 0, Reason.BAD_MANIFEST, "the name " + name + " of a shard leads elsewhere");
        }
        Location file = folder.resolve(name);
        if (!options.storageOf(file).exists(file)) {
            throw new DatasetException.Corrupt(file, 0, Reason.MISSING_SHARD, "the index lists this shard");
        }
        return SourceFile.of(file, options);
    }
}
