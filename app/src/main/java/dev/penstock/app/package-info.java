// SPDX-License-Identifier: Apache-2.0
/// The command line.
///
/// Start from [Main]. Each command is a class named after its words. Data goes to standard output, everything else
/// to standard error.
package dev.penstock.app;
