// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Map;

/// Statistics of the runs of a pack.
///
/// @param lengths         statistics of the lengths of the runs
/// @param highestTileHist the number of runs by highest tile
/// @param engineCounts    the number of runs by engine name; runs without an engine count under the empty name
public record RunStats(RunLengths lengths, Map<Long, Long> highestTileHist, Map<String, Long> engineCounts) {}
