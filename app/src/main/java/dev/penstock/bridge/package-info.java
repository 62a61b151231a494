// SPDX-License-Identifier: Apache-2.0
/// What other languages in the same process call: functions with plain numbers and addresses as arguments.
///
/// The Python package starts a Java runtime inside its process and calls these. To start:
/// [dev.penstock.bridge.Bridge].
package dev.penstock.bridge;
