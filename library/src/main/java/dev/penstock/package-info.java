// SPDX-License-Identifier: Apache-2.0
/// What every format shares: records by index, and batches of them.
///
/// Start from [Dataset]. A [Field] says what a record holds, a [Batch] is the memory that many records are
/// gathered into, and a [DatasetException] names the file, the byte and the reason when the bytes on disk are
/// wrong. [Subset], [Concat] and [Zip] are datasets made of others.
package dev.penstock;
