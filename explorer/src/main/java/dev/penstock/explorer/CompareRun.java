// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Io;
import dev.penstock.plugin.RecordText;
import dev.penstock.query.Scan;
import dev.penstock.view.Selection;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// Compares the records of two datasets, as far as its time goes. All differences are counted, and the first ones of
/// each kind are listed.
///
/// **Threads.** One thread at a time continues; it holds [#lock]. Any thread reads the results.
final class CompareRun implements Search {
    private static final int LISTED_MAX = 10_000;
    private static final long BATCH_BYTES_MAX = 8 << 20;

    /// The kinds of records.
    enum Kind {
        SAME,
        CHANGED,
        ADDED,
        REMOVED;

        static Kind of(String name) {
            return Arrays.stream(values())
                    .filter(kind -> kind.toString().equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalArgumentException("kind must be same, changed, added or removed, not " + name));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final CompareMatch match;
    private final List<Field> fields;
    private final Io.Consumer<Io.Consumer<Dataset>> right;
    private final long leftCount;
    private final long rightCount;
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private final Map<Kind, List<long[]>> listed = new EnumMap<>(Kind.class);
    private final long[] changedValues;
    /// The records of the right dataset by their keys, once they were read.
    private CompareKeys keys;
    private long searchedCount;

    /// @param right works with the right dataset
    CompareRun(CompareMatch match, Dataset left, Dataset other, Io.Consumer<Io.Consumer<Dataset>> right) {
        this.match = match;
        this.fields = shared(left, other);
        this.right = right;
        this.leftCount = left.count();
        this.rightCount = other.count();
        this.changedValues = new long[fields.size()];
        for (Kind kind : Kind.values()) {
            counts.put(kind, 0L);
            listed.put(kind, new ArrayList<>());
        }
        if (!match.isByIndex()) {
            CompareKeys.requireFew(rightCount);
        }
    }

    /// The fields that two datasets have in common.
    static List<Field> shared(Dataset left, Dataset right) {
        return left.fields().stream().filter(right.fields()::contains).toList();
    }

    CompareMatch match() {
        return match;
    }

    List<Field> fields() {
        return fields;
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    private long total() {
        return match.isByIndex() ? Math.max(leftCount, rightCount) : leftCount;
    }

    private synchronized long searchedCount() {
        return searchedCount;
    }

    @Override
    public void search(Dataset left, Tracker tracker) throws IOException {
        if (searchedCount() == total() && isFinished()) {
            return;
        }
        try {
            right.accept(other -> {
                if (match.isByIndex()) {
                    byIndex(left, other, tracker);
                } else {
                    byKey(left, other, tracker);
                }
            });
        } catch (Tracker.OutOfTime e) {
            // What was compared so far is the result.
        }
    }

    private synchronized boolean isFinished() {
        return match.isByIndex() || keys != null && keys.isReported();
    }

    private void byIndex(Dataset left, Dataset other, Tracker tracker) throws IOException {
        long both = Math.min(leftCount, rightCount);
        boolean isWithoutDeleted = !left.hasDeleted() && !other.hasDeleted();
        tracker.at(searchedCount(), total());
        scan(left, both, tracker, (chunk, batch) -> {
            long[] indices = chunk.indices();
            for (int start = 0, limit; start < indices.length; start = limit) {
                limit = limit(other, indices, start);
                other.gather(Arrays.copyOfRange(indices, start, limit), batch);
                boolean isWhole = limit - start == indices.length;
                if (isWhole && isWithoutDeleted && isSameWhole(chunk.batch(), batch)) {
                    addSame(indices.length);
                    return;
                }
                for (int row = start; row < limit; row++) {
                    compare(left, indices[row], chunk.batch(), row, other, indices[row], batch, row - start);
                }
            }
        });
        addRest(leftCount > both ? Kind.REMOVED : Kind.ADDED, both);
    }

    /// Returns the end of the batch that is read next. Records of the right dataset may be larger than those of the
    /// left.
    private int limit(Dataset other, long[] indices, int start) throws IOException {
        long bytes = 0;
        for (int i = start; i < indices.length; i++) {
            for (Field field : fields) {
                bytes += field.isVariable() ? RecordReader.size(other, field, indices[i]) : 0;
            }
            if (bytes > BATCH_BYTES_MAX && i > start) {
                return i;
            }
        }
        return indices.length;
    }

    /// The records behind the end of the shorter dataset.
    private synchronized void addRest(Kind kind, long both) {
        counts.merge(kind, total() - both, Long::sum);
        List<long[]> list = listed.get(kind);
        for (long index = both; index < total() && list.size() < LISTED_MAX; index++) {
            list.add(kind == Kind.ADDED ? new long[] {-1, index} : new long[] {index, -1});
        }
        searchedCount = total();
    }

    private void byKey(Dataset left, Dataset other, Tracker tracker) throws IOException {
        if (keys == null) {
            CompareKeys read = CompareKeys.of(other, match, tracker);
            synchronized (this) {
                keys = read;
            }
        }
        List<Field> keyField = match.field() == null ? List.of() : List.of(match.field());
        scan(left, leftCount, tracker, (chunk, batch) -> {
            Column column = keyField.isEmpty()
                    ? null
                    : chunk.batch().column(match.field().name());
            for (int row = 0; row < chunk.indices().length; row++) {
                long index = chunk.indices()[row];
                long found = keys.take(match.key(left, index, column, row));
                if (found < 0) {
                    add(Kind.REMOVED, index, -1);
                } else {
                    other.gather(new long[] {found}, batch);
                    compare(left, index, chunk.batch(), row, other, found, batch, 0);
                }
            }
        });
        keys.report(index -> add(Kind.ADDED, -1, index));
    }

    private interface Work {
        void accept(Scan.Chunk chunk, Batch batch) throws IOException;
    }

    /// Goes on through the left dataset, with a batch for records of the right one.
    private void scan(Dataset left, long limit, Tracker tracker, Work work) throws IOException {
        long start = searchedCount();
        if (start >= limit) {
            return;
        }
        Selection rest = Selection.ofRanges(new long[] {start}, new long[] {limit});
        try (Subset records = Subset.of(left, rest);
                Batch batch = Batch.create(fields)) {
            Scan.of(records).withFields(fields).withThreads(1).forEach(chunk -> {
                long[] indices = Arrays.stream(chunk.indices())
                        .map(index -> start + index)
                        .toArray();
                work.accept(new Scan.Chunk(indices, chunk.batch()), batch);
                searched(indices[indices.length - 1] + 1);
                tracker.at(searchedCount(), total());
            });
        }
    }

    private synchronized void searched(long count) {
        searchedCount = count;
    }

    private void compare(
            Dataset left, long index, Batch batch, long row, Dataset right, long other, Batch otherBatch, long otherRow)
            throws IOException {
        boolean isGone = RecordText.isDeleted(right, other);
        if (RecordText.isDeleted(left, index) || isGone) {
            boolean wasThere = !RecordText.isDeleted(left, index);
            add(wasThere ? Kind.REMOVED : isGone ? Kind.SAME : Kind.ADDED, index, other);
            return;
        }
        boolean isSame = true;
        for (int i = 0; i < fields.size(); i++) {
            if (!isSame(batch.column(i), row, otherBatch.column(i), otherRow)) {
                isSame = false;
                countChange(i);
            }
        }
        add(isSame ? Kind.SAME : Kind.CHANGED, index, other);
    }

    /// Whether whole batches are equal, which is quick to see.
    private boolean isSameWhole(Batch batch, Batch other) {
        for (int i = 0; i < fields.size(); i++) {
            Column column = batch.column(i);
            Column right = other.column(i);
            if (column.hasMissing()
                    || right.hasMissing()
                    || column.values().mismatch(right.values()) >= 0
                    || column.field().isVariable() && column.offsets().mismatch(right.offsets()) >= 0) {
                return false;
            }
        }
        return true;
    }

    private synchronized void addSame(long count) {
        counts.merge(Kind.SAME, count, Long::sum);
    }

    /// The names of the fields in which two records differ. One field after the other is read.
    List<String> different(Dataset left, long index, Dataset right, long other) throws IOException {
        List<String> names = new ArrayList<>();
        for (Field field : fields) {
            try (Batch batch = Batch.create(List.of(field));
                    Batch otherBatch = Batch.create(List.of(field))) {
                left.gather(new long[] {index}, batch);
                right.gather(new long[] {other}, otherBatch);
                if (!isSame(batch.column(0), 0, otherBatch.column(0), 0)) {
                    names.add(field.name());
                }
            }
        }
        return names;
    }

    private static boolean isSame(Column column, long row, Column other, long otherRow) {
        if (column.isMissing(row) || other.isMissing(otherRow)) {
            return column.isMissing(row) && other.isMissing(otherRow);
        }
        return column.value(row).mismatch(other.value(otherRow)) < 0;
    }

    private synchronized void countChange(int field) {
        changedValues[field]++;
    }

    private synchronized void add(Kind kind, long index, long other) {
        counts.merge(kind, 1L, Long::sum);
        if (kind != Kind.SAME && listed.get(kind).size() < LISTED_MAX) {
            listed.get(kind).add(new long[] {index, other});
        }
    }

    /// The first records of a kind: the index in the left dataset and in the right one, -1 where there is none.
    synchronized long[][] listed(Kind kind) {
        return listed.get(kind).toArray(long[][]::new);
    }

    /// How many records of each kind there are, and of how many.
    @Override
    public synchronized Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("searched", searchedCount);
        json.put("of", total());
        json.put("exact", searchedCount == total() && isFinished());
        Map<String, Object> all = new LinkedHashMap<>();
        counts.forEach((kind, count) -> all.put(kind.toString(), count));
        all.put("repeatedKeys", keys == null ? 0L : keys.repeatedCount());
        json.put("counts", all);
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < changedValues.length; i++) {
            values.put(fields.get(i).name(), changedValues[i]);
        }
        json.put("changedValues", values);
        return json;
    }
}
