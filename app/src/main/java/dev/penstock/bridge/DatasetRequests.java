// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.GroupedRecords;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.StoredRecords;
import dev.penstock.StoredRows;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.Access;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Location;
import dev.penstock.file.Parallel;
import dev.penstock.file.ReaderOptions;
import dev.penstock.plugin.Description;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import dev.penstock.query.Where;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.tree.TreeReader;
import dev.penstock.view.Concat;
import dev.penstock.view.Numbers;
import dev.penstock.view.Selection;
import dev.penstock.view.Subset;
import dev.penstock.view.Windows;
import dev.penstock.view.Zip;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Requests that open datasets and create views.
final class DatasetRequests {
    private DatasetRequests() {}

    static Dataset dataset(Request request) {
        return request.object("handle", Source.class).dataset();
    }

    /// Opens a dataset, or a tree. A list of shards, in the argument `shards`, is opened as one corpus.
    static Object open(Request request) throws IOException {
        boolean isRead = request.has("io") && request.text("io").equals("read");
        Access access = isRead ? Access.READ : Access.MMAP;
        Location path = Location.parse(request.text("path"));
        boolean isLenient = request.isTrue("lenient");
        RowType rawType = request.has("dtype")
                ? new RowType(DType.parse(request.text("dtype")), request.list("rowShape", Long.class))
                : null;
        boolean hasFirstCheck = request.has("verify");
        if (rawType == null && !hasFirstCheck && Catalog.isTree(path)) {
            return TreeRequests.open(
                    request, path, TreeReader.Options.DEFAULT.withAccess(access).withStrict(!isLenient));
        }
        Catalog.Options options = Catalog.Options.DEFAULT
                .withAccess(access)
                .withMemoryBytes(request.numberOr("memory", ReaderOptions.AUTOMATIC))
                .withThreads(threads(request))
                .withLenient(isLenient)
                .withFirstCheck(hasFirstCheck)
                .withRawType(rawType);
        if (request.has("cache")) {
            options = options.withCache(CacheOptions.parse(request.text("cache")));
        }
        boolean isCorpus = request.has("shards");
        return opened(
                request, isCorpus ? Catalog.open(locations(request, "shards"), options) : Catalog.open(path, options));
    }

    private static List<Location> locations(Request request, String key) {
        return request.list(key, String.class).stream().map(Location::parse).toList();
    }

    /// Whether files are activation shards, which are opened as one corpus.
    static Object isCorpus(Request request) throws IOException {
        return Catalog.isCorpus(locations(request, "paths"), Catalog.Options.DEFAULT);
    }

    /// The names of the arrays of an archive that can be read side by side.
    static Object arrays(Request request) throws IOException {
        return Catalog.arraysOfOneLength(Location.parse(request.text("path")), Catalog.Options.DEFAULT);
    }

    /// Threads that copy the records of a large batch.
    static int threads(Request request) {
        return Math.toIntExact(request.numberOr("threads", Parallel.defaultThreads()));
    }

    /// Makes a dataset known, with all its fields.
    static Object opened(Request request, Dataset dataset) {
        return describe(request, new Source(dataset, dataset.fields(), true));
    }

    private static Object describe(Request request, Source source) {
        Dataset dataset = source.dataset();
        Map<String, Object> description = Description.ofOpen(dataset);
        description.put("fields", Description.of(source.fields()));
        if (dataset instanceof GroupedRecords grouped) {
            description.put("groups", grouped.groupCount());
        }
        if (dataset instanceof StoredRows rows) {
            description.put("dtype", rows.itemType());
            description.put("shape", rows.rowShape());
            description.put("isScalar", rows.isScalar());
            description.put("rowSize", rows.rowSize());
            description.put(
                    "files", rows.arrayFiles().stream().map(Location::toString).toList());
            description.put("arrayOffset", rows.arrayOffset());
            description.put("raw", rows.isRaw());
        }
        request.keep(source);
        return description;
    }

    /// Selects fields of a dataset, in this order.
    static Object choose(Request request) {
        Source source = request.object("handle", Source.class);
        return describe(request, new Source(source.dataset(), fields(source.dataset(), request), false));
    }

    /// The fields named in a request.
    static List<Field> fields(Dataset dataset, Request request) {
        List<Field> chosen = new ArrayList<>();
        for (String name : request.list("fields", String.class)) {
            chosen.add(dataset.fields().stream()
                    .filter(field -> field.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no field " + name + "; the fields are "
                            + String.join(
                                    ", ",
                                    dataset.fields().stream().map(Field::name).toList()))));
        }
        return chosen;
    }

    /// Opens the index of the keys of a dataset.
    static Object keys(Request request) throws IOException {
        request.keep(RecordKeys.open(dataset(request), ReaderOptions.DEFAULT));
        return null;
    }

    /// The index of the record with a key, or null.
    static Object find(Request request) throws IOException {
        byte[] key = request.memory("key").toArray(ValueLayout.JAVA_BYTE);
        OptionalLong found = request.object("handle", RecordKeys.class).find(key);
        return found.isPresent() ? found.getAsLong() : null;
    }

    /// The names of consecutive records.
    static Object names(Request request) throws IOException {
        Dataset dataset = dataset(request);
        long first = request.number("first");
        List<String> names = new ArrayList<>();
        for (long i = 0; i < request.number("count"); i++) {
            names.add(dataset.name(first + i));
        }
        return names;
    }

    /// Statistics of all fields.
    static Object stats(Request request) throws IOException {
        return Description.ofFields(Stats.of(Scan.of(dataset(request))));
    }

    static Object prepare(Request request) {
        dataset(request).prepare();
        return null;
    }

    static Object where(Request request) throws IOException {
        return opened(request, Where.select(dataset(request), request.text("condition")));
    }

    static Object subset(Request request) {
        if (request.has("first")) {
            return opened(request, Subset.of(dataset(request), Selection.ofRanges(new long[1], new long[] {
                request.number("first")
            })));
        }
        long[] indices = request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        Subset subset = Subset.of(dataset(request), indices);
        return opened(request, request.has("condition") ? subset.withCondition(request.text("condition")) : subset);
    }

    /// Where a record comes from: path, record, count, file, record of the file and name of each origin.
    static Object origins(Request request) {
        List<List<Object>> all = new ArrayList<>();
        for (Origin origin : dataset(request).origins(request.number("index"))) {
            List<Object> one = new ArrayList<>();
            one.add(origin.dataset().location().toString());
            one.add(origin.firstRecord());
            one.add(origin.recordCount());
            one.add(origin.file().toString());
            one.add(origin.fileRecord());
            one.add(origin.name());
            all.add(one);
        }
        return all;
    }

    /// Whether a fingerprint is that of the first records of a dataset.
    static Object hasFingerprint(Request request) throws IOException {
        Dataset dataset = dataset(request);
        long recordCount = request.number("records");
        return recordCount <= dataset.count() && dataset.hasFingerprint(request.text("fingerprint"), recordCount);
    }

    /// Writes the base indices of the records of a subset.
    static Object baseIndices(Request request) {
        MemorySegment target = request.memory("target");
        if (!(dataset(request) instanceof Subset subset) || target.byteSize() != subset.count() * Long.BYTES) {
            throw new IllegalArgumentException("the dataset is not a subset, or the target has the wrong size");
        }
        for (long i = 0; i < subset.count(); i++) {
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, subset.baseIndex(i));
        }
        return null;
    }

    /// Writes the offset and size of records of a pack in its file, or -1 for both if a record is compressed.
    static Object places(Request request) {
        MemorySegment target = request.memory("target");
        if (!(dataset(request) instanceof StoredRecords records)) {
            throw new IllegalArgumentException("only packs have uncompressed records that can be mapped");
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

    /// Creates windows of consecutive rows, which stay inside groups if there are groups.
    static Object windows(Request request) {
        long length = request.number("length");
        long stride = request.number("stride");
        return opened(
                request,
                dataset(request) instanceof GroupedRecords grouped
                        ? grouped.windows(length, stride)
                        : Windows.of(dataset(request), length, stride));
    }

    /// Creates the numbers that stand for objects of Python.
    static Object numbers(Request request) {
        return opened(request, Numbers.of(request.number("count"), request.text("identity")));
    }

    static Object verify(Request request) throws IOException {
        return Description.of(dataset(request).verify(Progress.NONE));
    }
}
