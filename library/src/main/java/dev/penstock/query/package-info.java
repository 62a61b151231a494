// SPDX-License-Identifier: Apache-2.0
/// Conditions and statistics for datasets of any format.
///
/// Start from [Scan], which reads the requested fields of the matching records in order. [Where] is a condition,
/// [Stats] computes statistics of each field, and [Where#select] returns a view of the matching records.
package dev.penstock.query;
