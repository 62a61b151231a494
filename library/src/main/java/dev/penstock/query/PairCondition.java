// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.ElementType;

/// Comparisons of two fields of numbers, decoded in blocks.
interface PairCondition extends Condition {
    /// Both whole: exact, whichever of them is unsigned.
    record Whole(Place left, Comparison comparison, Place right) implements PairCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells leftCells = left.cells(batch);
            Place.Cells rightCells = right.cells(batch);
            long[] lefts = new long[Values.BLOCK];
            long[] rights = new long[Values.BLOCK];
            for (long row = 0; row < batch.rowCount(); row += Values.BLOCK) {
                int count = (int) Math.min(Values.BLOCK, batch.rowCount() - row);
                leftCells.longs(row, count, lefts);
                rightCells.longs(row, count, rights);
                for (int start = 0; start < count; start += Mask.WORD_BITS) {
                    int limit = Math.min(start + Mask.WORD_BITS, count);
                    mask.setWord(row + start, word(lefts, rights, start, limit));
                }
            }
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

        /// An unsigned number that Java sees as negative is beyond all signed ones.
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

    /// At least one real: both as doubles.
    record Real(Place left, Comparison comparison, Place right) implements PairCondition {
        @Override
        public void test(Batch batch, Mask mask) {
            Place.Cells leftCells = left.cells(batch);
            Place.Cells rightCells = right.cells(batch);
            double[] lefts = new double[Values.BLOCK];
            double[] rights = new double[Values.BLOCK];
            for (long row = 0; row < batch.rowCount(); row += Values.BLOCK) {
                int count = (int) Math.min(Values.BLOCK, batch.rowCount() - row);
                leftCells.doubles(row, count, lefts);
                rightCells.doubles(row, count, rights);
                for (int start = 0; start < count; start += Mask.WORD_BITS) {
                    int limit = Math.min(start + Mask.WORD_BITS, count);
                    mask.setWord(row + start, word(lefts, rights, start, limit));
                }
            }
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
