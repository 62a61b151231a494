// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.io.Serializable;
import org.apache.spark.sql.types.StructType;

/// What a read returns, as all its tasks know it.
///
/// @param path        the dataset
/// @param recordCount the number of its records when the read was planned
/// @param schema      the columns, with metadata columns
/// @param where       the condition in the grammar of [dev.penstock.query.Where], or null
/// @param sample      the sample, or null
/// @param limit       the largest number of records of each partition
record ReadPlan(DatasetPath path, long recordCount, StructType schema, String where, Sample sample, long limit)
        implements Serializable {
    /// A share of the records. Whether a record belongs to it depends on its index and the seed only, so it is the
    /// same in whichever partition the record is read, and samples of adjacent bounds are disjoint.
    ///
    /// @param lower the lower bound, from 0
    /// @param upper the exclusive upper bound, up to 1
    record Sample(double lower, double upper, long seed) implements Serializable {
        private static final double UNIT = 0x1p-53;

        boolean has(long index) {
            // The finaliser of SplitMix64, whose 53 highest bits become a number from 0 to 1.
            long z = seed + (index + 1) * 0x9E3779B97F4A7C15L;
            z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
            z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
            z ^= z >>> 31;
            double place = (z >>> 11) * UNIT;
            return place >= lower && place < upper;
        }
    }
}
