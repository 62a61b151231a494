// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import dev.penstock.file.Access;
import java.util.Random;

/// The contract of datasets for formats whose records are rows of one size in one or more files.
public interface RowsContract extends DatasetContract {
    /// The number of rows after which a new file begins.
    long shardRows();

    Access access();

    /// The size of a row in bytes.
    int rowSize();

    @Override
    default byte[] record(Random random) {
        byte[] record = new byte[rowSize()];
        random.nextBytes(record);
        return record;
    }

    /// The contract for mapped files.
    interface Mapped extends RowsContract {
        @Override
        default Access access() {
            return Access.MMAP;
        }
    }

    /// The contract for files that are read by position.
    interface Read extends RowsContract {
        @Override
        default Access access() {
            return Access.READ;
        }
    }
}
