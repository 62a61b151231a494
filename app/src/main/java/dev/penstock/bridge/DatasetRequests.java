// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Concat;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.StoredRecords;
import dev.penstock.StoredRows;
import dev.penstock.Subset;
import dev.penstock.Verification;
import dev.penstock.Zip;
import dev.penstock.catalog.Catalog;
import dev.penstock.groups.GroupedTable;
import dev.penstock.memory.Access;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.query.Where;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Opening datasets, and views of them.
final class DatasetRequests {
    private DatasetRequests() {}

    static Dataset dataset(Request request) {
        return request.object("handle", Source.class).dataset();
    }

    static Object open(Request request) throws IOException {
        boolean isRead = request.has("io") && request.text("io").equals("read");
        Access access = isRead ? Access.READ : Access.MMAP;
        Path path = Path.of(request.text("path"));
        boolean isLenient = request.isTrue("lenient");
        if (Catalog.isTree(path)) {
            return TreeRequests.open(
                    request, path, TreeReader.Options.DEFAULT.withAccess(access).withStrict(!isLenient));
        }
        return opened(
                request,
                Catalog.open(
                        path,
                        Catalog.Options.DEFAULT
                                .withAccess(access)
                                .withMemoryBytes(request.numberOr("memory", ReaderOptions.AUTOMATIC))
                                .withLenient(isLenient)));
    }

    /// Makes a dataset known, with all its fields.
    static Object opened(Request request, Dataset dataset) {
        return describe(request, new Source(dataset, dataset.fields(), true));
    }

    private static Object describe(Request request, Source source) {
        Dataset dataset = source.dataset();
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", dataset.location().toString());
        description.put("format", dataset.format());
        description.put("count", dataset.count());
        description.put("bytes", dataset.bytes());
        description.put(
                "fields",
                source.fields().stream().map(DatasetRequests::describe).toList());
        description.put("metadata", dataset.metadata());
        description.put("facts", dataset.facts());
        description.put("remarks", dataset.remarks());
        if (dataset instanceof GroupedTable table) {
            description.put("groups", table.groups().count());
        }
        if (dataset instanceof StoredRows rows) {
            description.put("dtype", rows.itemType());
            description.put("shape", rows.rowShape());
            description.put("rowSize", rows.rowSize());
            description.put(
                    "files", rows.arrayFiles().stream().map(Location::toString).toList());
            description.put("arrayOffset", rows.arrayOffset());
        }
        request.keep(source);
        return description;
    }

    static Map<String, Object> describe(Field field) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type().toString());
        description.put("elementSize", field.elementSize());
        description.put("shape", field.shape());
        description.put("variable", field.isVariable());
        return description;
    }

    /// Some fields of a dataset, in this order.
    static Object choose(Request request) {
        Source source = request.object("handle", Source.class);
        return describe(request, new Source(source.dataset(), fields(source.dataset(), request), false));
    }

    /// The fields that a request names.
    static List<Field> fields(Dataset dataset, Request request) {
        List<Field> chosen = new ArrayList<>();
        for (String name : request.list("fields", String.class)) {
            chosen.add(dataset.fields().stream()
                    .filter(field -> field.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no field " + name + "; there are: "
                            + String.join(
                                    ", ",
                                    dataset.fields().stream().map(Field::name).toList()))));
        }
        return chosen;
    }

    static Object prepare(Request request) {
        dataset(request).prepare();
        return null;
    }

    static Object where(Request request) throws IOException {
        return opened(request, Where.select(dataset(request), request.text("condition")));
    }

    static Object subset(Request request) {
        long[] indices = request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        return opened(request, Subset.of(dataset(request), indices));
    }

    /// Writes which records of its base a subset has.
    static Object baseIndices(Request request) {
        MemorySegment target = request.memory("target");
        if (!(dataset(request) instanceof Subset subset) || target.byteSize() != subset.count() * Long.BYTES) {
            throw new IllegalArgumentException("no subset of as many records as there is room for");
        }
        for (long i = 0; i < subset.count(); i++) {
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, subset.baseIndex(i));
        }
        return null;
    }

    /// Writes where in its file records of a pack are: offset and size, or -1 for both when one is stored in
    /// another way.
    static Object places(Request request) {
        MemorySegment target = request.memory("target");
        if (!(dataset(request) instanceof StoredRecords records)) {
            throw new IllegalArgumentException("only packs have records that lie in a file as they are");
        }
        long first = request.number("first");
        for (long i = 0; i < target.byteSize() / (2 * Long.BYTES); i++) {
            Optional<StoredRecords.Place> place = records.place(first + i);
            long offset = place.map(StoredRecords.Place::offset).orElse(-1L);
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, 2 * i, offset);
            long size = place.map(StoredRecords.Place::size).orElse(-1L);
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, 2 * i + 1, size);
        }
        return null;
    }

    private static List<Dataset> parts(Request request) {
        return request.list("parts", Long.class).stream()
                .map(handle -> Handles.get(handle, Source.class).dataset())
                .toList();
    }

    static Object concat(Request request) {
        return opened(request, Concat.of(parts(request)));
    }

    static Object zip(Request request) {
        Map<String, Dataset> named = new LinkedHashMap<>();
        List<Dataset> parts = parts(request);
        List<String> names = request.list("names", String.class);
        for (int i = 0; i < parts.size(); i++) {
            named.put(names.get(i), parts.get(i));
        }
        return opened(request, Zip.of(named));
    }

    static Object verify(Request request) throws IOException {
        return describe(dataset(request).verify(Progress.NONE));
    }

    static Map<String, Object> describe(Verification verification) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("ok", verification.isOk());
        result.put("checkedBytes", verification.checkedBytes());
        result.put("problemCount", verification.problemCount());
        result.put("errorCount", verification.errorCount());
        result.put(
                "problems",
                verification.problems().stream()
                        .map(problem -> Map.of(
                                "file", problem.file().toString(),
                                "offset", problem.offset(),
                                "severity", problem.severity().toString(),
                                "reason", problem.reason().toString(),
                                "what", problem.what()))
                        .toList());
        return result;
    }
}
