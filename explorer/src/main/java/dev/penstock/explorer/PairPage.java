// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.file.Parallel;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Two fields against each other: how many records have each pair of values, in a sample.
///
/// @param shelf   the datasets
/// @param workers the threads
record PairPage(Shelf shelf, Workers workers) implements Page {
    private static final long SAMPLE_SIZE = 20_000;

    /// Longer texts are no categories.
    private static final long TEXT_SIZE_MAX = 200;

    /// Whether a field has one number or one text in each record.
    static boolean isPlain(Field field) {
        boolean isText = field.type().isText();
        return field.shape().isEmpty()
                && (isText || !field.isVariable() && !field.type().isComplex());
    }

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            Field x = field(dataset, query.text("x"));
            Field y = field(dataset, query.text("y"));
            if (x.equals(y)) {
                throw new IllegalArgumentException("choose two different fields, not twice " + x.name());
            }
            String condition = query.text("where", null);
            Where where = condition == null ? null : Where.parse(condition, dataset.conditionFields());
            Sample sample = Sample.of(query, dataset.count(), SAMPLE_SIZE);
            Tracker tracker = new Tracker(query.number("budget", 10, 1, SearchPage.BUDGET_SECONDS_MAX));
            return Parallel.await(workers.scan(() -> {
                tracker.start();
                return json(id, dataset, new Pair(x, y, new ArrayList<>(), new ArrayList<>()), where, sample, tracker);
            }));
        });
    }

    private static Field field(Dataset dataset, String name) {
        Field field = RecordReader.field(dataset, name);
        if (!isPlain(field)) {
            throw new IllegalArgumentException("the field " + name + " has no single number or text in each record");
        }
        return field;
    }

    /// The values of two fields.
    private record Pair(Field x, Field y, List<Object> xs, List<Object> ys) {
        void add(Scan.Chunk chunk) {
            addAll(chunk.batch().column(x.name()), chunk.indices().length, xs);
            addAll(chunk.batch().column(y.name()), chunk.indices().length, ys);
        }

        private static void addAll(Column column, int rowCount, List<Object> target) {
            for (int row = 0; row < rowCount; row++) {
                target.add(column.isMissing(row) ? null : value(column.field(), column.value(row)));
            }
        }

        private static Object value(Field field, MemorySegment value) {
            if (!field.type().isText()) {
                return Elements.toDouble(field.type(), value, 0);
            }
            long size = Math.min(value.byteSize(), TEXT_SIZE_MAX);
            ElementType type = field.type() == ElementType.BYTES ? ElementType.UTF8 : field.type();
            return Elements.toText(type, value, 0, size).replaceAll("\0+$", "");
        }

        PairAxis axis(Field field, List<Object> values) {
            if (field.type().isText()) {
                return PairAxis.ofTexts(
                        field.name(),
                        values.stream().map(value -> (String) value).toList());
            }
            double[] numbers = values.stream()
                    .mapToDouble(value -> value == null ? Double.NaN : (Double) value)
                    .toArray();
            return PairAxis.ofNumbers(field.name(), numbers, !field.type().isFloat());
        }

        /// Pearson's correlation of two fields of numbers, or null.
        Double correlation() {
            if (x.type().isText() || y.type().isText()) {
                return null;
            }
            int[] rows = IntStream.range(0, xs.size())
                    .filter(i -> isFinite(xs.get(i)) && isFinite(ys.get(i)))
                    .toArray();
            double meanX = mean(rows, xs);
            double meanY = mean(rows, ys);
            double product = 0;
            double squareX = 0;
            double squareY = 0;
            for (int row : rows) {
                double fromX = (Double) xs.get(row) - meanX;
                double fromY = (Double) ys.get(row) - meanY;
                product += fromX * fromY;
                squareX += fromX * fromX;
                squareY += fromY * fromY;
            }
            double correlation = product / Math.sqrt(squareX * squareY);
            return Double.isFinite(correlation) ? correlation : null;
        }

        private static boolean isFinite(Object value) {
            return value instanceof Double number && Double.isFinite(number);
        }

        private static double mean(int[] rows, List<Object> values) {
            return Arrays.stream(rows)
                    .mapToDouble(row -> (Double) values.get(row))
                    .average()
                    .orElse(0);
        }
    }

    private static Map<String, Object> json(
            String id, Dataset dataset, Pair pair, Where where, Sample sample, Tracker tracker) throws IOException {
        long[] searched = new long[1];
        try (Subset records = Subset.of(dataset, sample.rest(0))) {
            Scan.of(records)
                    .withFields(List.of(pair.x, pair.y))
                    .withWhere(where)
                    .withThreads(1)
                    .withProgress((done, total) -> {
                        searched[0] = done;
                        tracker.at(done, total);
                    })
                    .forEach(pair::add);
        } catch (Tracker.OutOfTime e) {
            // What was read so far is the result.
        }
        PairAxis x = pair.axis(pair.x, pair.xs);
        PairAxis y = pair.axis(pair.y, pair.ys);
        long[][] counts = new long[y.count()][x.count()];
        long without = 0;
        for (int i = 0; i < pair.xs.size(); i++) {
            int column = x.cell(pair.xs.get(i));
            int row = y.cell(pair.ys.get(i));
            if (column < 0 || row < 0) {
                without++;
            } else {
                counts[row][column]++;
            }
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        json.put("records", (long) pair.xs.size());
        json.put("without", without);
        json.put("searched", searched[0]);
        json.put("of", sample.recordCount());
        json.put("exact", searched[0] == sample.recordCount());
        json.put("x", x.json());
        json.put("y", y.json());
        json.put("correlation", pair.correlation());
        json.put(
                "counts",
                Arrays.stream(counts)
                        .map(row -> Arrays.stream(row).boxed().toList())
                        .toList());
        return json;
    }
}
