// SPDX-License-Identifier: Apache-2.0
/// Fixed-width rows in one or more files: finding a row, gathering rows and columns, prefetching, and writers that
/// roll over to the next file.
///
/// Formats with records of a fixed width are built on it and add their file headers. To start:
/// [dev.penstock.rows.RowFiles] opens the files, [dev.penstock.rows.RowGather] copies rows,
/// [dev.penstock.rows.RollingWriter] writes them.
package dev.penstock.rows;
