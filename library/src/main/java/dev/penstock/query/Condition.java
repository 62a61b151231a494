// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import java.util.List;

/// A parsed condition whose fields and types are resolved.
///
/// **Threads.** Immutable, so safe for any number of threads.
interface Condition {
    /// Writes every bit of a mask, which has as many rows as the batch.
    void test(Batch batch, Mask mask);

    /// Whether a record within the bounds can match. Most conditions do not know.
    default boolean mayMatch(Bounds bounds) {
        return true;
    }

    /// Returns the negation. Records that lack a value match neither the condition nor its negation, as in SQL. So
    /// a negation is pushed down to the single comparisons, which know their fields.
    default Condition negated() {
        throw new AssertionError("a comparison is negated by what it is part of");
    }

    /// A condition that is the same for every record, such as a byte that must be less than 1000.
    record Always(boolean isMatch) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            mask.fill(isMatch);
        }

        @Override
        public boolean mayMatch(Bounds bounds) {
            return isMatch;
        }

        @Override
        public Condition negated() {
            return new Always(!isMatch);
        }
    }

    /// Matches when all parts match.
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
        public boolean mayMatch(Bounds bounds) {
            return parts.stream().allMatch(part -> part.mayMatch(bounds));
        }

        @Override
        public Condition negated() {
            return new Or(parts.stream().map(Condition::negated).toList());
        }
    }

    /// Matches when at least one part matches.
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
        public boolean mayMatch(Bounds bounds) {
            return parts.stream().anyMatch(part -> part.mayMatch(bounds));
        }

        @Override
        public Condition negated() {
            return new And(parts.stream().map(Condition::negated).toList());
        }
    }

    /// Matches the records that lack a value, or those that have it.
    record Missing(Place place, boolean isMissing) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            Column column = batch.column(place.field().name());
            mask.fill(true);
            if (column.hasMissing()) {
                mask.clear(column.missing());
            }
            if (isMissing) {
                mask.invert();
            }
        }

        @Override
        public Condition negated() {
            return new Missing(place, !isMissing);
        }
    }

    /// A comparison of one or two fields, or its negation. Records that lack one of the values match neither.
    ///
    /// @param places     the fields that are compared
    /// @param isNegated  whether the comparison is negated
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
        public boolean mayMatch(Bounds bounds) {
            return isNegated || comparison.mayMatch(bounds);
        }

        @Override
        public Condition negated() {
            return new OfFields(comparison, places, !isNegated);
        }
    }
}
