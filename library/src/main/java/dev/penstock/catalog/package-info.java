// SPDX-License-Identifier: Apache-2.0
/// The one place that knows every format: it opens any path by its content.
///
/// Start from [Catalog].
package dev.penstock.catalog;
