// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import java.util.List;

/// A condition whose fields and types are settled.
///
/// **Threads.** Any number: conditions do not change.
interface Condition {
    /// Writes every bit of a mask that has as many rows as the batch.
    void test(Batch batch, Mask mask);

    /// What does not depend on the record, such as a byte that is to be less than 1000.
    record Always(boolean isMatch) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            mask.fill(isMatch);
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
    }

    /// The opposite.
    record Not(Condition part) implements Condition {
        @Override
        public void test(Batch batch, Mask mask) {
            part.test(batch, mask);
            mask.invert();
        }
    }
}
