// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.plugin.IndexFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/// Records that a person marked. They are kept in the browser; a file beside the dataset, `NAME.flags.npy`, is read
/// when there is one and written on request only.
///
/// @param shelf      the datasets
/// @param isReadOnly whether nothing may be written
record FlagsPage(Shelf shelf, boolean isReadOnly) implements Page {
    /// The largest list that a request may have.
    static final int BODY_SIZE_MAX = 8 << 20;

    private static final long LISTED_MAX = 1 << 20;

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            Path file = file(dataset);
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", id);
            json.put("path", dataset.location());
            json.put("records", dataset.count());
            json.put("fingerprint", dataset.fingerprint());
            json.put("readOnly", isReadOnly || file == null);
            json.put("file", file == null ? null : file.toString());
            json.put("indices", file != null && Files.isRegularFile(file) ? read(file, dataset) : null);
            return json;
        });
    }

    /// The file for the flags of a dataset, or null for a remote dataset.
    private static Path file(Dataset dataset) {
        Location location = dataset.location();
        if (!location.isLocal() || location.path().getFileName() == null) {
            return null;
        }
        Path path = location.path().toAbsolutePath();
        return path.resolveSibling(path.getFileName() + ".flags.npy");
    }

    private static List<Long> read(Path file, Dataset dataset) throws IOException {
        return LongStream.of(IndexFile.read(file))
                .filter(index -> index >= 0 && index < dataset.count())
                .limit(LISTED_MAX)
                .boxed()
                .toList();
    }

    /// Writes the flags of a request.
    ///
    /// @param body JSON with the indices
    /// @throws IllegalArgumentException when the server only reads, or the body is invalid
    Object write(Query query, InputStream body) throws IOException {
        if (isReadOnly) {
            throw new IllegalArgumentException(
                    "this server only reads; start it with penstock serve --no-read-only to write flags");
        }
        byte[] bytes = body.readNBytes(BODY_SIZE_MAX + 1);
        if (bytes.length > BODY_SIZE_MAX) {
            throw new IllegalArgumentException("the list is longer than " + BODY_SIZE_MAX + " bytes");
        }
        Object parsed = Json.parse(bytes);
        Object list = parsed instanceof Map<?, ?> map ? map.get("indices") : null;
        if (!(list instanceof List<?> indices) || !indices.stream().allMatch(Long.class::isInstance)) {
            throw new IllegalArgumentException("the body must be {\"indices\": [...]}");
        }
        long[] flags =
                indices.stream().mapToLong(Long.class::cast).sorted().distinct().toArray();
        return shelf.with(query.text("dataset"), dataset -> {
            Arrays.stream(flags).forEach(index -> RecordReader.requireIndex(dataset, index));
            Path file = file(dataset);
            if (file == null) {
                throw new IllegalArgumentException("flags of a remote dataset cannot be written beside it");
            }
            IndexFile.write(file, flags);
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", file.toString());
            json.put("count", (long) flags.length);
            return json;
        });
    }
}
