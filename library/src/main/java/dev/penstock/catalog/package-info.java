// SPDX-License-Identifier: Apache-2.0
/// The one place that knows every format: it opens any path by its content.
///
/// Start from [Catalog]. A [Format] is one entry of its list, and other modules add theirs.
package dev.penstock.catalog;
