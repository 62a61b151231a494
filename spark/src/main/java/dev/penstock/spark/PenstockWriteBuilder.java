// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.file.PublishMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;

/// Learns how a query is to be written.
final class PenstockWriteBuilder implements SupportsTruncate {
    private final DatasetPath path;
    /// The columns of the present dataset; none where there is no dataset.
    private final StructType present;

    private final WriteOptions options;
    private final LogicalWriteInfo info;
    private PublishMode mode;

    PenstockWriteBuilder(
            DatasetPath path, StructType present, WriteOptions options, LogicalWriteInfo info, boolean isCreated) {
        this.path = path;
        this.present = present;
        this.options = options;
        this.info = info;
        this.mode = isCreated ? PublishMode.CREATE : PublishMode.APPEND;
    }

    @Override
    public WriteBuilder truncate() {
        mode = PublishMode.REPLACE;
        return this;
    }

    @Override
    public Write build() {
        WriteOptions known = options.kind() == null ? options.withKind(presentKind()) : options;
        WritePlan plan = WritePlan.of(path, known, info, mode == PublishMode.APPEND ? present : new StructType());
        return known.group() == null ? new Plain(plan, mode) : new Grouped(plan, mode);
    }

    /// The kind of the dataset that rows are appended to.
    private String presentKind() {
        try (Dataset dataset = path.open()) {
            String format = dataset.format();
            return switch (format) {
                case "table", "groups" -> "table";
                case "concat" -> dataset.shards().isEmpty() ? "table" : part(dataset);
                default -> WriteOptions.KINDS.contains(format) ? format : "table";
            };
        } catch (NoSuchFileException | DatasetException.WrongFormat e) {
            return "table";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String part(Dataset dataset) {
        return ((dev.penstock.view.Concat) dataset).parts().getFirst().format().toLowerCase(Locale.ROOT);
    }

    private record Plain(WritePlan plan, PublishMode mode) implements Write {
        @Override
        public BatchWrite toBatch() {
            return new PenstockBatchWrite(plan, mode);
        }

        @Override
        public String description() {
            return plan.toString();
        }
    }

    /// All rows of a group go to one task, one group after the other.
    private record Grouped(WritePlan plan, PublishMode mode) implements RequiresDistributionAndOrdering {
        private SortOrder order() {
            return Expressions.sort(
                    Expressions.column("`" + plan.options().group().replace("`", "``") + "`"), SortDirection.ASCENDING);
        }

        @Override
        public Distribution requiredDistribution() {
            return Distributions.ordered(new SortOrder[] {order()});
        }

        @Override
        public SortOrder[] requiredOrdering() {
            return new SortOrder[] {order()};
        }

        @Override
        public BatchWrite toBatch() {
            return new PenstockBatchWrite(plan, mode);
        }

        @Override
        public String description() {
            return plan.toString();
        }
    }
}
