// SPDX-License-Identifier: Apache-2.0
/// Datasets as a source and a target of Apache Spark, under the name `penstock`.
///
/// Start from [PenstockSource], which Spark finds by its name. [PenstockScanBuilder] is the way of a read, and
/// [PenstockWriteBuilder] that of a write. [SparkTypes] says which type of Spark belongs to which field.
package dev.penstock.spark;
