// SPDX-License-Identifier: Apache-2.0
/// Opens any path by its content. This is the only package that knows every format.
///
/// Start from [Catalog]. A [Format] is one entry of its list; other modules can add more.
package dev.penstock.catalog;
