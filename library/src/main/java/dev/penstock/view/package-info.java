// SPDX-License-Identifier: Apache-2.0
/// Datasets over other datasets: several as one, some records of one, windows of rows.
///
/// Start from [Concat] for the records of several datasets one after another, [Zip] for the fields of several
/// datasets side by side, [Subset] for some of the records, [Windows] for runs of consecutive rows as one record,
/// [Selection] for a list of indices, and [Numbers] for records that are kept elsewhere.
package dev.penstock.view;
