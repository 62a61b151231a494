// SPDX-License-Identifier: Apache-2.0
/// Columnar data: Parquet and Arrow, read and written.
///
/// Both become [dev.penstock.columnar.ColumnValues] of a [dev.penstock.columnar.ColumnType], and a
/// [dev.penstock.columnar.ColumnField] turns these into a column of a batch. So there is one rule for the types.
/// Start from [dev.penstock.columnar.ParquetRecords] and [dev.penstock.columnar.ArrowRecords].
package dev.penstock.columnar;
