// SPDX-License-Identifier: Apache-2.0
/// Copies records between formats: every import, export, conversion, merge and sample.
///
/// Start from [Conversion], which copies the records of a [RecordSource] to a [Target]. [Sources] opens the
/// records of any path; other modules can add a [SourceKind] or a target.
package dev.penstock.convert;
