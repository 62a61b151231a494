// SPDX-License-Identifier: Apache-2.0
/// The loops that copy rows of one width: gathering them by address, widening and casting numbers.
///
/// Start from [RowCopy]. Every loop exists in a plain form and, where the runtime has vectors, in a vector form.
package dev.penstock.rows.kernel;
