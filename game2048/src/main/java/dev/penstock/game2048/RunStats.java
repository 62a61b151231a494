// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Map;

/// Figures about the runs of a pack.
///
/// @param lengths         how long the runs are
/// @param highestTileHist how many runs noted each highest tile, by tile
/// @param engineCounts    how many runs each engine played, by name; runs without a name count as the empty name
public record RunStats(RunLengths lengths, Map<Long, Long> highestTileHist, Map<String, Long> engineCounts) {}
