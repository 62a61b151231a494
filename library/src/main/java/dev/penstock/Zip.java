// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Datasets of equally many records side by side, as a dataset: data and labels, for example.
///
/// Record `i` holds the fields of record `i` of every part. The field of a part that has a single one is called by
/// the part's key; those of a part with several are called `key.field`. A gather reads only the parts of which it
/// wants a field, and hands on the memory they filled without copying it.
///
/// **Ownership.** The parts belong to the caller. Closing the view ends the view only and frees its own memory;
/// when a part is closed, the view is too. What was seen in a batch is gone with its next gather, as always: the
/// memory may be another batch's then.
///
/// **Threads.** Any number, as [Dataset] says.
public final class Zip implements Dataset {
    /// Where a field of the view comes from.
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

    /// These side by side, in the order in which the map gives them: a `LinkedHashMap` where that of the fields
    /// matters.
    ///
    /// @param datasets by the keys their fields are called by
    /// @throws IllegalArgumentException when there is none, they differ in the number of records, or two fields
    ///                                  would have the same name
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
                    throw new IllegalArgumentException(
                            "both " + other + " and " + keys.get(i) + " have a field that would be called " + name);
                }
                sources.put(
                        new Field(name, field.type(), field.elementSize(), field.shape(), field.isVariable()),
                        new Source(i, field));
            }
        }
        return sources;
    }

    /// The keys of the parts, in their order.
    public List<String> keys() {
        return keys;
    }

    /// The dataset of a key.
    ///
    /// @throws IllegalArgumentException when there is none
    public Dataset part(String key) {
        int part = keys.indexOf(key);
        if (part < 0) {
            throw new IllegalArgumentException("no part " + key + "; there are: " + String.join(", ", keys));
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

    /// That of the first part.
    @Override
    public Location location() {
        return parts.all().getFirst().location();
    }

    @Override
    public long count() {
        return parts.all().getFirst().count();
    }

    /// Those of all parts.
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
            throw new IllegalArgumentException("no field " + field + " in the zip; there are: " + fields);
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

    /// Checks all parts.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return parts.verify(progress);
    }

    /// Made of the keys and the fingerprints of the parts, whatever their order: that of `Map.of` is another one
    /// each time a program runs.
    @Override
    public String fingerprint() throws IOException {
        return fingerprint(count());
    }

    /// Known where all parts know it.
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

    /// Whether any part has deleted the record.
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

    /// What the parts note, each note called `key.note`.
    @Override
    public Map<String, String> metadata() {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            parts.all().get(i).metadata().forEach((note, text) -> all.put(key + "." + note, text));
        }
        return all;
    }

    /// How many parts there are.
    @Override
    public Map<String, Object> facts() {
        return Map.of("parts", (long) keys.size());
    }

    @Override
    public List<String> remarks() {
        return parts.remarks();
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

    /// Ends the view; the parts stay open.
    @Override
    public void close() {
        isClosed = true;
        gathers.close();
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException(
                    "the zip of " + String.join(", ", keys) + ", the first " + location() + ", is closed");
        }
    }
}
