// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.ElementType;

/// Compares two numeric fields, decoded in blocks.
interface PairCondition extends Condition {
    /// Compares two integer fields exactly, signed or unsigned.
    record Whole(Place left, Comparison comparison, Place right) implements PairCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells leftCells = left.cells(batch);
            Place.Cells rightCells = right.cells(batch);
            long[] lefts = new long[Values.BLOCK];
            long[] rights = new long[Values.BLOCK];
            mask.setBlocks(
                    (row, count) -> {
                        leftCells.longs(row, count, lefts);
                        rightCells.longs(row, count, rights);
                    },
                    (start, limit) -> word(lefts, rights, start, limit));
        }

        private long word(long[] lefts, long[] rights, int start, int limit) {
            boolean isLeftUnsigned = left.type() == ElementType.U64;
            boolean isRightUnsigned = right.type() == ElementType.U64;
            long word = 0;
            for (int i = start; i < limit; i++) {
                int order = order(lefts[i], isLeftUnsigned, rights[i], isRightUnsigned);
                word |= (comparison.accepts(order) ? 1L : 0L) << i;
            }
            return word;
        }

        /// An unsigned number that is negative in Java is greater than all signed numbers.
        private static int order(long left, boolean isLeftUnsigned, long right, boolean isRightUnsigned) {
            if (isLeftUnsigned && isRightUnsigned) {
                return Long.compareUnsigned(left, right);
            }
            if (isLeftUnsigned && left < 0) {
                return 1;
            }
            return isRightUnsigned && right < 0 ? -1 : Long.compare(left, right);
        }
    }

    /// Compares two fields as doubles, because at least one is floating-point.
    record Real(Place left, Comparison comparison, Place right) implements PairCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells leftCells = left.cells(batch);
            Place.Cells rightCells = right.cells(batch);
            double[] lefts = new double[Values.BLOCK];
            double[] rights = new double[Values.BLOCK];
            mask.setBlocks(
                    (row, count) -> {
                        leftCells.doubles(row, count, lefts);
                        rightCells.doubles(row, count, rights);
                    },
                    (start, limit) -> word(lefts, rights, start, limit));
        }

        private long word(double[] lefts, double[] rights, int start, int limit) {
            long word = 0;
            for (int i = start; i < limit; i++) {
                word |= (comparison.accepts(order(lefts[i], rights[i])) ? 1L : 0L) << i;
            }
            return word;
        }

        private static int order(double left, double right) {
            if (left == right) {
                return 0;
            }
            return left < right ? -1 : left > right ? 1 : Comparison.UNORDERED;
        }
    }
}
