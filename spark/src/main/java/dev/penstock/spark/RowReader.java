// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/// The rows of a partition one by one, as views into its batches.
final class RowReader implements PartitionReader<InternalRow> {
    private final RangeReader batches;
    private ColumnarBatch batch;
    private int row;

    RowReader(RangeReader batches) {
        this.batches = batches;
    }

    @Override
    public boolean next() throws IOException {
        row++;
        while (batch == null || row >= batch.numRows()) {
            if (!batches.next()) {
                return false;
            }
            batch = batches.get();
            row = 0;
        }
        return true;
    }

    @Override
    public InternalRow get() {
        return batch.getRow(row);
    }

    @Override
    public void close() throws IOException {
        batches.close();
    }
}
