// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import java.util.List;

/// Conditions on text and bytes, tested row by row.
interface TextCondition extends Condition {
    /// Compares a field with a text literal.
    record Single(Place place, Comparison comparison, TextValue text) implements TextCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells cells = place.cells(batch);
            TextValue.eachWord(batch.rowCount(), mask, row -> comparison.accepts(TextValue.order(cells, row, text)));
        }
    }

    /// Searches a field for a text.
    record Search(Place place, TextSearch search, TextValue text) implements TextCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells cells = place.cells(batch);
            TextValue.eachWord(batch.rowCount(), mask, row -> search.finds(text, TextValue.of(cells, row)));
        }
    }

    /// Tests whether a field is one of several sorted texts.
    record OneOf(Place place, List<TextValue> texts, boolean isInside) implements TextCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells cells = place.cells(batch);
            TextValue.eachWord(batch.rowCount(), mask, row -> isOneOf(cells, row) == isInside);
        }

        private boolean isOneOf(Place.Cells cells, long row) {
            int low = 0;
            int high = texts.size() - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                int order = TextValue.order(cells, row, texts.get(middle));
                if (order == 0) {
                    return true;
                }
                low = order > 0 ? middle + 1 : low;
                high = order > 0 ? high : middle - 1;
            }
            return false;
        }
    }

    /// Compares two text fields of the same kind.
    record Pair(Place left, Comparison comparison, Place right) implements TextCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells leftCells = left.cells(batch);
            Place.Cells rightCells = right.cells(batch);
            TextValue.eachWord(
                    batch.rowCount(), mask, row -> comparison.accepts(TextValue.order(leftCells, rightCells, row)));
        }
    }

    static Condition of(Place place, Comparison comparison, Operand.Text text) {
        return new Single(place, comparison, TextValue.of(place, text.value()));
    }

    static Condition of(Place place, TextSearch search, Operand.Text text) {
        return new Search(place, search, TextValue.of(place, text.value()));
    }

    static Condition of(Place place, List<Operand.Text> texts, boolean isInside) {
        List<TextValue> sorted = texts.stream()
                .map(text -> TextValue.of(place, text.value()))
                .sorted(TextValue::order)
                .toList();
        return new OneOf(place, sorted, isInside);
    }
}
