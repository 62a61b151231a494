// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.query.Where;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.SampleMethod;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTableSample;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// Learns what a query needs: columns, a condition, a sample, a limit, or only the number of records.
final class PenstockScanBuilder
        implements SupportsPushDownRequiredColumns,
                SupportsPushDownV2Filters,
                SupportsPushDownLimit,
                SupportsPushDownTableSample,
                SupportsPushDownAggregates {
    private final DatasetPath path;
    private final ReadOptions options;
    private StructType schema;
    private final List<Predicate> pushed = new ArrayList<>();
    private final List<String> conditions = new ArrayList<>();
    private RecordRange range = new RecordRange(0, Long.MAX_VALUE);
    private ReadPlan.Sample sample;
    private long limit = Long.MAX_VALUE;
    private boolean isCount;

    PenstockScanBuilder(DatasetPath path, StructType schema, Map<String, String> options) {
        this.path = path;
        this.schema = schema;
        this.options = ReadOptions.of(options);
        if (this.options.where() != null) {
            conditions.add(this.options.where());
        }
    }

    @Override
    public void pruneColumns(StructType required) {
        schema = required;
    }

    /// @return what Spark has to evaluate itself
    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        List<Predicate> rest = new ArrayList<>();
        try (Dataset dataset = path.open()) {
            FilterText filters = new FilterText(dataset.conditionFields());
            for (Predicate predicate : predicates) {
                String condition = filters.of(predicate);
                if (condition != null) {
                    conditions.add(condition);
                    pushed.add(predicate);
                } else if (narrow(predicate)) {
                    pushed.add(predicate);
                } else {
                    rest.add(predicate);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rest.toArray(Predicate[]::new);
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushed.toArray(Predicate[]::new);
    }

    /// Narrows the range by a comparison of `_index` with a number.
    private boolean narrow(Predicate predicate) {
        Expression[] sides = predicate.children();
        boolean isIndex = sides.length == 2
                && sides[0] instanceof NamedReference reference
                && reference.fieldNames().length == 1
                && reference.fieldNames()[0].equals(Extra.INDEX.column());
        if (!isIndex || !(sides[1] instanceof Literal<?> literal) || !(literal.value() instanceof Long value)) {
            return false;
        }
        long next = value == Long.MAX_VALUE ? value : value + 1;
        switch (predicate.name()) {
            case "=" -> narrow(value, next);
            case "<" -> narrow(0, value);
            case "<=" -> narrow(0, next);
            case ">" -> narrow(next, Long.MAX_VALUE);
            case ">=" -> narrow(value, Long.MAX_VALUE);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void narrow(long first, long limitIndex) {
        range = new RecordRange(Math.max(range.firstIndex(), first), Math.min(range.limitIndex(), limitIndex));
    }

    /// Each partition returns at most so many records, and Spark takes the first of all.
    @Override
    public boolean pushLimit(int limit) {
        this.limit = limit;
        return true;
    }

    @Override
    public boolean pushTableSample(
            double lower, double upper, boolean isWithReplacement, long seed, SampleMethod method) {
        if (isWithReplacement || sample != null || method != SampleMethod.BERNOULLI) {
            return false;
        }
        sample = new ReadPlan.Sample(lower, upper, seed);
        return true;
    }

    /// The number of records is known without reading any.
    @Override
    public boolean supportCompletePushDown(Aggregation aggregation) {
        boolean isCountOnly = aggregation.groupByExpressions().length == 0;
        for (AggregateFunc function : aggregation.aggregateExpressions()) {
            isCountOnly &= function instanceof CountStar;
        }
        boolean isWhole = conditions.isEmpty() && pushed.isEmpty() && sample == null && limit == Long.MAX_VALUE;
        if (!isCountOnly || !isWhole) {
            return false;
        }
        try (Dataset dataset = path.open()) {
            return !dataset.hasDeleted();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean pushAggregation(Aggregation aggregation) {
        if (!supportCompletePushDown(aggregation)) {
            return false;
        }
        isCount = true;
        StructType counts = new StructType();
        for (int i = 0; i < aggregation.aggregateExpressions().length; i++) {
            counts = counts.add("count_" + i, DataTypes.LongType, false);
        }
        schema = counts;
        return true;
    }

    @Override
    public Scan build() {
        try (Dataset dataset = path.open()) {
            if (isCount) {
                return new Counted(schema, dataset.count(), path);
            }
            String where = conditions.isEmpty()
                    ? null
                    : conditions.stream().map(one -> "(" + one + ")").collect(Collectors.joining(" and "));
            if (where != null) {
                // An invalid option is an error here and not in each task.
                Where.parse(where, dataset.conditionFields());
            }
            ReadPlan plan = new ReadPlan(path, dataset.count(), schema, where, sample, limit);
            return PenstockScan.of(plan, dataset, range, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The number of records as a table of one row.
    private record Counted(StructType readSchema, long count, DatasetPath path) implements LocalScan {
        @Override
        public InternalRow[] rows() {
            Object[] values = new Object[readSchema.size()];
            java.util.Arrays.fill(values, count);
            return new InternalRow[] {new GenericInternalRow(values)};
        }

        @Override
        public String description() {
            return "the number of records of " + path;
        }
    }
}
