// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.convert.IndexSet;
import dev.penstock.convert.RecordSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Examines the records of any source for what training would trip over. The records are read once, in order,
/// and memory is bounded: digests of the records are sorted in a temporary file.
///
/// Records are numbered as in the dataset, and from 0 where the source is no dataset.
///
/// **Threads.** One thread at a time.
public final class Doctor implements AutoCloseable {
    /// Fields that are expected to have another value in each record.
    private static final Set<String> KEYS =
            Set.of("id", "key", "__key__", "name", "path", "file", "file_name", "filename", "uuid", "url", "__url__");

    /// A field that is only called like a key is one unless more than this share of its values repeats.
    private static final double REPEATED_MAX = 0.05;

    private final RecordSource source;
    private final DoctorOptions options;
    private final List<Field> fields;
    private final IndexSet marks = new IndexSet();
    private final Findings findings;
    private final Decoding decoding = new Decoding();
    private final Map<Field, List<ColumnExam>> exams = new LinkedHashMap<>();
    private final Map<Field, RepeatExam> keys = new LinkedHashMap<>();
    private final TwinExam twins;
    private final Digests digests;
    private RepeatExam duplicates;
    private RepeatExam names;
    private RepeatExam shared;
    private Digests sharedDigests;
    private long temporaryCount;

    private Doctor(RecordSource source, DoctorOptions options) {
        this.source = source;
        this.options = options;
        this.fields = chosen(source, options.fields());
        this.findings = new Findings(options.checks(), marks);
        this.twins = new TwinExam(fields);
        this.digests = new Digests(fields);
    }

    /// Examines all records of a source.
    ///
    /// @param source  the source, which the caller closes
    /// @param other   records that must not be among those of the source, such as those for testing; null for
    ///                none
    /// @param reading receives the progress of reading the source
    /// @throws IllegalArgumentException         when a field does not exist, or the other records have other
    /// types
    /// @throws dev.penstock.DatasetException when the source is damaged
    public static Diagnosis examine(RecordSource source, RecordSource other, DoctorOptions options, Progress reading)
            throws IOException {
        try (Doctor doctor = new Doctor(source, options)) {
            doctor.prepare(other);
            doctor.read(reading);
            doctor.report();
            return new Diagnosis(source.name(), doctor.fields, doctor.findings, doctor.marks);
        }
    }

    private static List<Field> chosen(RecordSource source, List<String> names) {
        List<Field> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(field(source, name));
        }
        return names.isEmpty() ? source.fields() : chosen;
    }

    private static Field field(RecordSource source, String name) {
        return source.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(source.name() + " has no field " + name
                        + "; its fields are "
                        + String.join(
                                ", ", source.fields().stream().map(Field::name).toList())));
    }

    private RepeatExam repeats() {
        String name = "penstock-doctor-" + ProcessHandle.current().pid() + "-" + System.identityHashCode(this) + "-"
                + temporaryCount++;
        return new RepeatExam(options.folder().resolve(name), options.memoryBytes());
    }

    private void prepare(RecordSource other) throws IOException {
        for (int i = 0; i < fields.size(); i++) {
            exams.put(fields.get(i), exams(fields.get(i), i));
        }
        if (findings.has(Check.DUPLICATES)) {
            duplicates = repeats();
        }
        if (findings.has(Check.KEYS)) {
            for (Field field : keyFields()) {
                keys.put(field, repeats());
            }
            names = hasNames() ? repeats() : null;
        }
        if (other != null && findings.has(Check.SHARED)) {
            readOther(other);
        }
    }

    private List<ColumnExam> exams(Field field, int number) {
        List<ColumnExam> all = new ArrayList<>();
        all.add(new PresenceExam(field.name(), findings));
        all.add(new ConstantExam(field.name()));
        if (NumberExam.fits(field)) {
            all.add(new NumberExam(field, findings));
        }
        if (SizeExam.fits(field)) {
            all.add(new SizeExam(field, options.sizeMax(), findings));
        }
        if (TextExam.fits(field)) {
            all.add(new TextExam(field, findings));
        }
        if (ClassExam.fits(field)) {
            all.add(new ClassExam(field));
        }
        if (ImageExam.fits(field) && findings.has(Check.IMAGES)) {
            all.add(new ImageExam(field, number, decoding, findings));
        }
        return all;
    }

    private List<Field> keyFields() {
        if (options.key() != null) {
            return List.of(field(source, options.key()));
        }
        return fields.stream()
                .filter(field -> KEYS.contains(field.name().toLowerCase(Locale.ROOT)))
                .filter(field -> field.shape().isEmpty()
                        && (field.type().isText() || field.type().isInteger()))
                .toList();
    }

    private boolean hasNames() {
        Optional<Dataset> dataset = source.dataset();
        return dataset.isPresent() && dataset.get().count() > 0 && dataset.get().name(0) != null;
    }

    /// Reads the digests of the other records, over the fields that both have.
    private void readOther(RecordSource other) throws IOException {
        List<Field> common = new ArrayList<>();
        for (Field field : fields) {
            for (Field others : other.fields()) {
                if (others.name().equals(field.name())) {
                    requireAlike(field, others, other.name());
                    common.add(field);
                }
            }
        }
        if (common.isEmpty()) {
            throw new IllegalArgumentException(source.name() + " and " + other.name()
                    + " have no field in common, so their records cannot be compared");
        }
        if (common.size() < fields.size()) {
            findings.remark("records are compared with those of " + other.name() + " by the fields that both have: "
                    + String.join(", ", common.stream().map(Field::name).toList()));
        }
        shared = repeats();
        sharedDigests = new Digests(common);
        long[] count = new long[1];
        other.forEach(
                (indices, batch) -> {
                    RecordIds ids = new RecordIds(indices, count[0]);
                    Column[] columns = sharedDigests.columns(batch);
                    for (long row = 0; row < batch.rowCount(); row++) {
                        shared.addOther(sharedDigests.of(columns, row), ids.of(row));
                    }
                    count[0] += batch.rowCount();
                },
                Progress.NONE);
    }

    private void requireAlike(Field one, Field other, String name) {
        boolean areTexts = one.type().isText() && other.type().isText();
        boolean isSame = one.type() == other.type()
                && one.isVariable() == other.isVariable()
                && one.shape().equals(other.shape());
        if (!areTexts && !isSame) {
            throw new IllegalArgumentException("field " + one.name() + " is " + one.type() + " " + one.shape() + " in "
                    + source.name() + " and " + other.type() + " " + other.shape() + " in " + name
                    + ", so records cannot be compared by it; choose other fields");
        }
    }

    private void read(Progress progress) throws IOException {
        long[] count = new long[1];
        source.forEach(
                (indices, batch) -> {
                    if (batch.rowCount() > 0) {
                        add(batch, new RecordIds(indices, count[0]));
                        count[0] += batch.rowCount();
                    }
                },
                progress);
        findings.setRecordCount(count[0]);
    }

    private void add(Batch batch, RecordIds ids) throws IOException {
        for (Map.Entry<Field, List<ColumnExam>> one : exams.entrySet()) {
            Column column = batch.column(one.getKey().name());
            for (ColumnExam exam : one.getValue()) {
                exam.add(column, batch.rowCount(), ids);
            }
        }
        twins.add(batch);
        if (duplicates != null) {
            add(batch, ids, digests, duplicates);
        }
        if (shared != null) {
            add(batch, ids, sharedDigests, shared);
        }
        for (Map.Entry<Field, RepeatExam> one : keys.entrySet()) {
            addKeys(batch.column(one.getKey().name()), batch.rowCount(), ids, one.getValue());
        }
        for (long row = 0; names != null && row < batch.rowCount(); row++) {
            String name = source.dataset().orElseThrow().name(ids.of(row));
            names.add(digests.of(String.valueOf(name).getBytes(StandardCharsets.UTF_8)), ids.of(row));
        }
    }

    private static void add(Batch batch, RecordIds ids, Digests digests, RepeatExam exam) throws IOException {
        Column[] columns = digests.columns(batch);
        for (long row = 0; row < batch.rowCount(); row++) {
            exam.add(digests.of(columns, row), ids.of(row));
        }
    }

    private void addKeys(Column column, long rowCount, RecordIds ids, RepeatExam exam) throws IOException {
        for (long row = 0; row < rowCount; row++) {
            if (!column.isMissing(row)) {
                exam.add(digests.of(Values.bytes(column, row)), ids.of(row));
            }
        }
    }

    private void report() throws IOException {
        for (List<ColumnExam> all : exams.values()) {
            for (ColumnExam exam : all) {
                exam.report(findings);
            }
        }
        twins.report(findings);
        if (duplicates != null) {
            reportRepeats(
                    duplicates,
                    findings.affected(Check.DUPLICATES, null),
                    "they weigh more in training, and a random split puts them on both sides");
        }
        for (Map.Entry<Field, RepeatExam> one : keys.entrySet()) {
            reportKeys(one.getKey(), one.getValue());
        }
        if (names != null) {
            reportRepeats(
                    names,
                    findings.affected(Check.KEYS, "name"),
                    "names of records repeat, and a look-up finds the first record only");
        }
        if (shared != null) {
            reportRepeats(
                    shared,
                    findings.affected(Check.SHARED, null),
                    "what is measured on records that were trained on says little; leave them out of one of the two");
        }
    }

    private void reportKeys(Field field, RepeatExam exam) throws IOException {
        // A field that only happens to be called like a key must not mark its records.
        IndexSet repeated = new IndexSet();
        long[] example = {-1, -1};
        exam.forEach((index, first, isOther) -> {
            repeated.add(index);
            keepLowest(example, index, first);
        });
        boolean isKey = options.key() != null || repeated.count() <= REPEATED_MAX * findings.recordCount();
        Affected affected = findings.affected(Check.KEYS, field.name());
        if (isKey) {
            repeated.forEach(indices -> {
                for (long index : indices) {
                    affected.add(index);
                }
            });
        }
        findings.add(
                affected,
                "a look-up by " + field.name() + " finds one record only; for example, record " + example[0]
                        + " has the key of record " + example[1]);
    }

    private void reportRepeats(RepeatExam exam, Affected affected, String message) throws IOException {
        long[] example = {-1, -1};
        boolean isShared = exam == shared;
        exam.forEach((index, first, isOther) -> {
            if (isOther == isShared) {
                affected.add(index);
                keepLowest(example, index, first);
            }
        });
        findings.add(
                affected,
                message + "; for example, record " + example[0] + " is equal to record " + example[1]
                        + (isShared ? " there" : ""));
    }

    private static void keepLowest(long[] example, long index, long first) {
        if (example[0] < 0 || index < example[0]) {
            example[0] = index;
            example[1] = first;
        }
    }

    @Override
    public void close() throws IOException {
        List<AutoCloseable> all = new ArrayList<>(keys.values());
        for (RepeatExam exam : new RepeatExam[] {duplicates, names, shared}) {
            if (exam != null) {
                all.add(exam);
            }
        }
        all.add(decoding);
        IOException failure = null;
        for (AutoCloseable one : all) {
            try {
                one.close();
            } catch (Exception e) {
                failure = e instanceof IOException io ? io : new IOException(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
