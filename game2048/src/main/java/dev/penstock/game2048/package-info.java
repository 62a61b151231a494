// SPDX-License-Identifier: Apache-2.0

/// Runs of the game 2048: boards and moves, recorded runs (a2run2 versions 1 and 2), self-play and packs of runs.
/// Use it to train on recorded games. Start from [RunPack] for a pack, [RunFile] for one file, [Board] for the
/// rules of the game.
package dev.penstock.game2048;
