// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.query.Bounds;
import dev.penstock.query.Where;
import java.util.List;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.Statistics;

/// What the statistics of a Parquet row group say about a condition.
final class GroupBounds {
    private GroupBounds() {}

    /// Whether a row of a row group can match a condition.
    static boolean mayMatch(Where where, ParquetFooter footer, List<ColumnField> columns, int group) {
        return where.mayMatch(field -> range(field, footer, columns, group));
    }

    private static Bounds.Range range(Field field, ParquetFooter footer, List<ColumnField> columns, int group) {
        for (ColumnField column : columns) {
            if (column.field().equals(field) && column.type().isNumber()) {
                ParquetNode node = footer.columns()
                        .get(column.path().getFirst())
                        .at(column.path().subList(1, column.path().size()));
                ColumnMetaData meta = footer.group(group)
                        .getColumns()
                        .get(node.first().index())
                        .getMeta_data();
                boolean isKnown = node.leaf() != null && meta.isSetStatistics();
                return isKnown ? range(node.leaf(), meta.getStatistics()) : null;
            }
        }
        return null;
    }

    private static Bounds.Range range(ParquetLeaf leaf, Statistics statistics) {
        LeafConversion.Kind kind = leaf.conversion().kind();
        boolean isStored = kind == LeafConversion.Kind.SAME || kind == LeafConversion.Kind.NARROW;
        if (!isStored || !statistics.isSetMin_value() || !statistics.isSetMax_value()) {
            return null;
        }
        Number low = number(leaf, statistics.getMin_value());
        Number high = number(leaf, statistics.getMax_value());
        boolean isValid =
                low != null && high != null && !Double.isNaN(low.doubleValue()) && !Double.isNaN(high.doubleValue());
        return isValid ? new Bounds.Range(low, high) : null;
    }

    private static Number number(ParquetLeaf leaf, byte[] bytes) {
        if (bytes.length != leaf.size()) {
            return null;
        }
        return switch (leaf.type()) {
            case INT32 -> {
                int whole = (int) Dense.INT.get(bytes, 0);
                boolean isUnsigned = leaf.conversion().type().element() == ElementType.U32;
                yield isUnsigned ? Integer.toUnsignedLong(whole) : whole;
            }
            case INT64 -> (Number) (long) Dense.LONG.get(bytes, 0);
            case FLOAT -> (double) Float.intBitsToFloat((int) Dense.INT.get(bytes, 0));
            case DOUBLE -> Double.longBitsToDouble((long) Dense.LONG.get(bytes, 0));
            default -> null;
        };
    }
}
