// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// A dataset at a path, or the place for a new one, as Spark sees it.
///
/// The metadata columns are [Extra], and the attributes of groups where a dataset has them. They are read only
/// where a query names them.
final class PenstockTable implements SupportsRead, SupportsWrite, SupportsMetadataColumns {
    private final DatasetPath path;
    private final StructType schema;
    /// Fields of a whole group, which a condition may name.
    private final List<Field> attributes;

    private final Use use;
    private final boolean isCreated;

    /// Where the table is named, which decides how it is written.
    enum Use {
        /// SQL has the columns of the present dataset.
        SQL,
        /// A data frame may have any columns.
        FRAME,
        /// A data frame whose rows are shuffled, which takes more than one job of Spark.
        SHUFFLED
    }

    private PenstockTable(DatasetPath path, StructType schema, List<Field> attributes, Use use, boolean isCreated) {
        this.path = path;
        this.schema = schema;
        this.attributes = attributes;
        this.use = use;
        this.isCreated = isCreated;
    }

    /// @throws UncheckedIOException when there is none, or it cannot be read
    static PenstockTable existing(DatasetPath path, Use use) {
        try (Dataset dataset = path.open()) {
            List<Field> attributes = new ArrayList<>(dataset.conditionFields());
            attributes.removeAll(dataset.fields());
            return new PenstockTable(path, SparkTypes.schema(dataset.fields()), attributes, use, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @param isCreated whether it is an error when a dataset is there at the end of the write
    static PenstockTable absent(DatasetPath path, Use use, boolean isCreated) {
        return new PenstockTable(path, new StructType(), List.of(), use, isCreated);
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public Column[] columns() {
        return Arrays.stream(schema.fields())
                .map(column -> Column.create(
                        column.name(),
                        column.dataType(),
                        column.nullable(),
                        null,
                        column.metadata().json()))
                .toArray(Column[]::new);
    }

    /// The columns without metadata columns.
    StructType dataSchema() {
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return switch (use) {
            case SQL -> Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
            case FRAME ->
                Set.of(
                        TableCapability.BATCH_READ,
                        TableCapability.BATCH_WRITE,
                        TableCapability.TRUNCATE,
                        TableCapability.ACCEPT_ANY_SCHEMA);
            case SHUFFLED ->
                Set.of(
                        TableCapability.BATCH_READ,
                        TableCapability.V1_BATCH_WRITE,
                        TableCapability.TRUNCATE,
                        TableCapability.ACCEPT_ANY_SCHEMA);
        };
    }

    /// @param comment what the column has
    private record Named(String name, DataType dataType, String comment) implements MetadataColumn {}

    @Override
    public MetadataColumn[] metadataColumns() {
        List<MetadataColumn> columns = new ArrayList<>();
        for (Extra extra : Extra.values()) {
            columns.add(new Named(extra.column(), extra.type(), extra.comment()));
        }
        for (Field attribute : attributes) {
            columns.add(new Named(attribute.name(), SparkTypes.type(attribute), "an attribute of the record's group"));
        }
        return columns.toArray(MetadataColumn[]::new);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new PenstockScanBuilder(path, schema, options.asCaseSensitiveMap());
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        Map<String, String> options = info.options().asCaseSensitiveMap();
        return use == Use.SHUFFLED
                ? new ShuffledWrite(path, options, isCreated)
                : new PenstockWriteBuilder(path, schema, WriteOptions.of(options), info, isCreated);
    }
}
