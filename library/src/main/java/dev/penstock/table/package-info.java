// SPDX-License-Identifier: Apache-2.0
/// NumPy arrays: rows of fixed width, plain or structured, in one `.npy` file or a folder of them.
///
/// Choose it for many small numeric records that other programs read and write too. Rows can be appended but not
/// changed. To start: [dev.penstock.table.TableReader] reads, [dev.penstock.table.TableWriter] writes, and
/// [dev.penstock.table.TableFormat] is the specification.
package dev.penstock.table;
