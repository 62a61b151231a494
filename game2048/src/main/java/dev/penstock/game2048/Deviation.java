// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;

/// Something that the original program accepts in a stored run although no writer makes it.
///
/// @param offset where in the run, in bytes from its start
/// @param step   the step it is in, or -1
/// @param what   one sentence
public record Deviation(long offset, long step, Reason reason, String what) {}
