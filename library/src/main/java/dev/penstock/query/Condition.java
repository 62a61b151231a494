// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import java.util.List;

/// A condition whose fields and types are settled.
///
/// **Threads.** Any number: conditions do not change.
interface Condition {
    /// Writes every bit of a mask that has as many rows as the batch.
    void test(Batch batch, Mask mask);

    /// The condition that matches where this one does not, except for records that lack a value it asks for: they
    /// match neither. So a negation goes down to the single comparisons, which know their fields.
    default Condition negated() {
        throw new AssertionError("a comparison is negated by what it is part of");
    }

    /// What does not depend on the record, such as a byte that is to be less than 1000.
    record Always(boolean isMatch) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            mask.fill(isMatch);
        }

        @Override
        public Condition negated() {
            return new Always(!isMatch);
        }
    }

    /// All of several.
    record And(List<Condition> parts) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            Mask part = new Mask(mask.rowCount());
            mask.fill(true);
            for (Condition condition : parts) {
                condition.test(batch, part);
                mask.and(part);
            }
        }

        @Override
        public Condition negated() {
            return new Or(parts.stream().map(Condition::negated).toList());
        }
    }

    /// At least one of several.
    record Or(List<Condition> parts) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            Mask part = new Mask(mask.rowCount());
            mask.fill(false);
            for (Condition condition : parts) {
                condition.test(batch, part);
                mask.or(part);
            }
        }

        @Override
        public Condition negated() {
            return new And(parts.stream().map(Condition::negated).toList());
        }
    }

    /// A comparison of one or two fields, or its opposite. Records that lack a value of theirs match neither.
    ///
    /// @param places     the fields it asks for
    /// @param isNegated  whether the opposite is meant
    record OfFields(Condition comparison, List<Place> places, boolean isNegated) implements Condition {
        public OfFields {
            places = List.copyOf(places);
        }

        @Override
        public void test(Batch batch, Mask mask) {
            comparison.test(batch, mask);
            if (isNegated) {
                mask.invert();
            }
            for (int i = 0; i < places.size(); i++) {
                Column column = batch.column(places.get(i).field().name());
                if (column.hasMissing()) {
                    mask.clear(column.missing());
                }
            }
        }

        @Override
        public Condition negated() {
            return new OfFields(comparison, places, !isNegated);
        }
    }
}
