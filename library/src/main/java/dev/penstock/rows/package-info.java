// SPDX-License-Identifier: Apache-2.0
/// Rows of one width in one file or many: finding a row, copying rows and columns, read-ahead, and writers that
/// roll over to the next file.
///
/// Formats whose records have a fixed width are built on it and add the headers of their files. To start:
/// [dev.penstock.rows.RowFiles] opens the files, [dev.penstock.rows.RowGather] copies rows,
/// [dev.penstock.rows.RollingWriter] writes them.
package dev.penstock.rows;
