// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.loader.Ranks;
import picocli.CommandLine.Option;

/// Which of several processes is meant.
final class RanksOption {
    @Option(
            names = "--world",
            paramLabel = "W",
            description = "How many processes share an epoch (default: as WORLD_SIZE and the like say, or 1).")
    Integer worldSize;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description = "Which of them, from 0 (default: as RANK and the like say; 0 with --world).")
    Integer rank;

    /// @throws IllegalArgumentException when there is no such rank
    Ranks ranks() {
        if (worldSize == null && rank == null) {
            return Ranks.fromEnvironment();
        }
        int world = worldSize == null ? Ranks.worldSizeFromEnvironment() : worldSize;
        if (world < 1) {
            throw new IllegalArgumentException("--world is " + world + ", and there is at least 1");
        }
        int chosen = rank == null ? 0 : rank;
        if (chosen < 0 || chosen >= world) {
            throw new IllegalArgumentException("--rank " + chosen + " is not in a world of " + world
                    + ": it is from 0 to " + (world - 1) + ", and --world sets the size");
        }
        return Ranks.of(chosen, world);
    }
}
