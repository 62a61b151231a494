// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// One step of a run.
///
/// @param preBoard the board before the move
/// @param chosen   the move
/// @param branches the player's evaluation of all four moves, or null if it was not recorded
public record Step(long preBoard, Move chosen, Branches branches) {}
