// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import java.util.List;

/// A column of a Parquet schema, or what is nested in it, with the levels that tell what is there.
///
/// @param present       the lowest definition level of a value that is there
/// @param itemPresent   for a list or map: the lowest definition level of an entry
/// @param itemRepetition for a list or map: the repetition level of its entries
/// @param leaf          the stored column; null for what is nested
record ParquetNode(
        ColumnType type,
        int present,
        int itemPresent,
        int itemRepetition,
        ParquetLeaf leaf,
        List<ParquetNode> children) {
    /// The first stored column of this node, whose levels tell the shape of it.
    ParquetLeaf first() {
        ParquetNode at = this;
        while (at.leaf == null) {
            at = at.children.getFirst();
        }
        return at.leaf;
    }

    /// Adds all stored columns of this node.
    void addLeaves(List<ParquetLeaf> leaves) {
        if (leaf != null) {
            leaves.add(leaf);
        }
        children.forEach(child -> child.addLeaves(leaves));
    }

    /// The node that a field is made of.
    ///
    /// @param path the path of a [ColumnField] behind this column
    ParquetNode at(List<Integer> path) {
        ParquetNode at = this;
        for (int step : path) {
            if (step < 0) {
                ParquetNode item = at.children.get(-1 - step);
                ColumnType list = ColumnType.nested(at.type.name(), ColumnType.Kind.LIST, item.type);
                return new ParquetNode(list, at.present, at.itemPresent, at.itemRepetition, null, List.of(item));
            }
            at = at.children.get(step);
        }
        return at;
    }
}
