// SPDX-License-Identifier: Apache-2.0
/// Reads stores of later releases of loaderx, to import them.
///
/// Their layouts differ from the one that [dev.penstock.store.StoreFormat] describes, and they are never written.
/// Start from [LoaderxStore]; [LoaderxFormat] is the specification.
package dev.penstock.loaderx;
