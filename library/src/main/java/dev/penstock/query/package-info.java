// SPDX-License-Identifier: Apache-2.0
/// Which records of a dataset match a condition, and how their values are distributed, whatever the format.
///
/// Start from [Scan], which reads the wanted fields of the matching records in order. A [Where] is the condition,
/// [Stats] the figures of each field, and [Where#select] makes a dataset of the records that match.
package dev.penstock.query;
