// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/// A column of which Spark asks no kind of value. The others override what they have.
///
/// The reader owns the memory of all columns, so closing one does nothing.
class UnsupportedVector extends ColumnVector {
    UnsupportedVector(DataType type) {
        super(type);
    }

    private UnsupportedOperationException refusal() {
        return new UnsupportedOperationException("a column of type " + type + " has no such values");
    }

    @Override
    public void close() {
        // The reader frees the memory.
    }

    /// Spark calls it after each batch.
    @Override
    public void closeIfFreeable() {
        // The next batch uses the same memory.
    }

    @Override
    public boolean hasNull() {
        return false;
    }

    @Override
    public int numNulls() {
        return 0;
    }

    @Override
    public boolean isNullAt(int row) {
        return false;
    }

    @Override
    public boolean getBoolean(int row) {
        throw refusal();
    }

    @Override
    public byte getByte(int row) {
        throw refusal();
    }

    @Override
    public short getShort(int row) {
        throw refusal();
    }

    @Override
    public int getInt(int row) {
        throw refusal();
    }

    @Override
    public long getLong(int row) {
        throw refusal();
    }

    @Override
    public float getFloat(int row) {
        throw refusal();
    }

    @Override
    public double getDouble(int row) {
        throw refusal();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw refusal();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw refusal();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw refusal();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw refusal();
    }

    @Override
    public byte[] getBinary(int row) {
        throw refusal();
    }

    @Override
    public ColumnVector getChild(int index) {
        throw refusal();
    }
}
