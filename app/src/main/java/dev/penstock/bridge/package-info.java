// SPDX-License-Identifier: Apache-2.0
/// The functions that Python, in the same process, calls, with plain numbers and addresses as arguments.
///
/// The Python package starts a Java runtime inside its process and calls them. To start:
/// [dev.penstock.bridge.Bridge].
package dev.penstock.bridge;
