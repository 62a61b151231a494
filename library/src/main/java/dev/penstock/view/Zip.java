// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Origin;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Datasets with the same number of records side by side, for example images and labels.
///
/// Record `i` holds the fields of record `i` of every part. A part with a single field contributes a field named
/// by the part's key. A part with several fields contributes fields named `key.field`. A gather reads only the
/// parts whose fields are requested, and takes over their memory without copying.
///
/// **Ownership.** The parts belong to the caller. Closing the view frees its own memory and leaves the parts open.
/// Closing a part makes the view unusable. The memory of a batch is valid until its next gather, as for every
/// dataset; after that another batch may use it.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public final class Zip implements Dataset {
    /// The part and the field of the part that a field of the view is read from.
    record Source(int part, Field field) {}

    private final List<String> keys;
    private final ViewParts parts;
    private final Map<Field, Source> sources;
    private final List<Field> fields;
    private final FieldPools<ZipGather> gathers;
    private volatile boolean isClosed;

    private Zip(List<String> keys, ViewParts parts) {
        this.keys = keys;
        this.parts = parts;
        this.sources = sources(keys, parts.all());
        this.fields = List.copyOf(sources.keySet());
        this.gathers = new FieldPools<>(
                this,
                wanted -> new ZipGather(
                        parts.all(), wanted.stream().map(sources::get).toList()),
                ZipGather::close);
    }

    /// Creates a view of datasets side by side, in the iteration order of the map. Use a `LinkedHashMap` if the
    /// order of the fields matters.
    ///
    /// @param datasets the parts, by the keys that name their fields
    /// @throws IllegalArgumentException when the map is empty, the parts differ in their number of records, or two
    ///                                  fields would have the same name
    public static Zip of(Map<String, ? extends Dataset> datasets) {
        List<String> keys = new ArrayList<>();
        List<Dataset> all = new ArrayList<>();
        datasets.forEach((key, dataset) -> {
            keys.add(key);
            all.add(dataset);
        });
        ViewParts parts = new ViewParts(all);
        for (int i = 1; i < keys.size(); i++) {
            if (all.get(i).count() != all.getFirst().count()) {
                throw new IllegalArgumentException(
                        shown(keys.getFirst(), all.getFirst()) + " and " + shown(keys.get(i), all.get(i)));
            }
        }
        return new Zip(List.copyOf(keys), parts);
    }

    private static String shown(String key, Dataset part) {
        return key + ", " + part.location() + ", has " + part.count() + " records";
    }

    private static Map<Field, Source> sources(List<String> keys, List<Dataset> parts) {
        Map<Field, Source> sources = new LinkedHashMap<>();
        Map<String, String> keyOfName = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            List<Field> own = parts.get(i).fields();
            for (Field field : own) {
                String name = own.size() == 1 ? keys.get(i) : keys.get(i) + "." + field.name();
                String other = keyOfName.put(name, keys.get(i));
                if (other != null) {
                    throw new IllegalArgumentException("parts " + other + " and " + keys.get(i)
                            + " both give a field named " + name + "; rename a part");
                }
                sources.put(
                        new Field(name, field.type(), field.elementSize(), field.shape(), field.isVariable()),
                        new Source(i, field));
            }
        }
        return sources;
    }

    /// The keys of the parts, in order.
    public List<String> keys() {
        return keys;
    }

    /// The dataset with a key.
    ///
    /// @throws IllegalArgumentException when there is no such key
    public Dataset part(String key) {
        int part = keys.indexOf(key);
        if (part < 0) {
            throw new IllegalArgumentException("no part '" + key + "'; the parts are " + String.join(", ", keys));
        }
        return parts.all().get(part);
    }

    @Override
    public String format() {
        return "zip";
    }

    @Override
    public int version() {
        return 1;
    }

    /// The location of the first part.
    @Override
    public Location location() {
        return parts.all().getFirst().location();
    }

    @Override
    public long count() {
        return parts.all().getFirst().count();
    }

    /// The total size of all parts in bytes.
    @Override
    public long bytes() {
        return parts.bytes();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public Row get(long index) throws IOException {
        requireOpen();
        List<MemorySegment> values = new ArrayList<>(fields.size());
        for (Dataset part : parts.all()) {
            values.addAll(part.get(index).values());
        }
        return new Row(index, values);
    }

    @Override
    public long length(Field field, long index) throws IOException {
        requireOpen();
        Source source = sources.get(field);
        if (source == null) {
            throw new IllegalArgumentException("the zip has no field " + field + "; its fields are " + fields);
        }
        return parts.all().get(source.part()).length(source.field(), index);
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        long rowCount = Indices.requireAll(indices, count());
        List<Field> wanted = batch.fields();
        ZipGather gather = gathers.borrow(wanted);
        try {
            gather.gather(indices, rowCount, batch);
        } finally {
            gathers.giveBack(wanted, gather);
        }
    }

    @Override
    public void prepare() {
        requireOpen();
        parts.prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        requireOpen();
        parts.all().forEach(part -> part.prefetch(firstIndex, recordCount));
    }

    /// Verifies all parts.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return parts.verify(progress);
    }

    /// A fingerprint built from the keys and fingerprints of the parts, independent of their order, because
    /// `Map.of` iterates in another order in every process.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    /// Known when all parts know theirs.
    @Override
    public String fingerprint(long recordCount) throws IOException {
        requireOpen();
        Indices.requireFirst(this, recordCount);
        Fingerprint digest = new Fingerprint("zip 1").add(recordCount);
        for (String key : keys.stream().sorted().toList()) {
            String fingerprint = part(key).fingerprint(recordCount);
            if (fingerprint == null) {
                return null;
            }
            digest.add(key).add(fingerprint);
        }
        return digest.text();
    }

    @Override
    public boolean isFingerprintExact() {
        return parts.all().stream().allMatch(Dataset::isFingerprintExact);
    }

    @Override
    public boolean hasDeleted() {
        return parts.all().stream().anyMatch(Dataset::hasDeleted);
    }

    /// Whether the record is deleted in any part.
    @Override
    public boolean isDeleted(long index) throws IOException {
        requireOpen();
        for (Dataset part : parts.all()) {
            if (part.isDeleted(index)) {
                return true;
            }
        }
        return false;
    }

    /// The metadata of all parts, each entry named `key.entry`.
    @Override
    public Map<String, String> metadata() {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            parts.all().get(i).metadata().forEach((note, text) -> all.put(key + "." + note, text));
        }
        return all;
    }

    /// The number of parts.
    @Override
    public Map<String, Object> facts() {
        return Map.of("parts", (long) keys.size());
    }

    @Override
    public List<String> remarks() {
        return parts.remarks();
    }

    @Override
    public List<Origin> origins(long index) {
        requireOpen();
        return parts.all().stream()
                .flatMap(part -> part.origins(index).stream())
                .toList();
    }

    @Override
    public Map<String, Object> recipe() throws IOException {
        Map<String, Object> recipe = ViewRecipe.of("zip", parts.all());
        recipe.put("names", keys);
        return recipe;
    }

    /// The record's name in the first part that has names.
    @Override
    public String name(long index) {
        requireOpen();
        for (Dataset part : parts.all()) {
            String name = part.name(index);
            if (name != null) {
                return name;
            }
        }
        return null;
    }

    /// Closes the view. The parts stay open.
    @Override
    public void close() {
        isClosed = true;
        gathers.close();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException(
                    "the zip of " + String.join(", ", keys) + " beginning with " + location() + " is closed");
        }
    }
}
