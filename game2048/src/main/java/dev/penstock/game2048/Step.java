// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// One step of a run.
///
/// @param preBoard the board before the move
/// @param chosen   the move
/// @param branches what the player thought of all four moves, or null where the run does not say
public record Step(long preBoard, Move chosen, Branches branches) {}
