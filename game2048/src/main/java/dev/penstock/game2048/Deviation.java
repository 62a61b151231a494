// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;

/// A deviation of a stored run: something that the original program accepts although no known writer produces it.
///
/// @param offset the offset in the run, in bytes
/// @param step   the index of the step, or -1
/// @param what   a description in one sentence
public record Deviation(long offset, long step, Reason reason, String what) {}
