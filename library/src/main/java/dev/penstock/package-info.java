// SPDX-License-Identifier: Apache-2.0
/// The types that all formats share: datasets, which give records by index, and batches of records.
///
/// Start from [Dataset]. A [Field] describes one field of a record, a [Batch] is the memory that many records are
/// gathered into, and a [DatasetException] names the file, the byte and the reason when the bytes of a file are
/// invalid. Views of other datasets are in `dev.penstock.view`.
package dev.penstock;
