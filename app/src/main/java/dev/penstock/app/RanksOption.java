// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.loader.Ranks;
import picocli.CommandLine.Option;

/// The options for the rank and the number of processes.
final class RanksOption {
    @Option(
            names = "--world",
            paramLabel = "W",
            description = "Number of ranks that share an epoch (default: from WORLD_SIZE or similar variables, or 1).")
    Integer worldSize;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description = "This rank, from 0 (default: from RANK or similar variables; 0 with --world).")
    Integer rank;

    /// @throws IllegalArgumentException when the rank is out of range
    Ranks ranks() {
        if (worldSize == null && rank == null) {
            return Ranks.fromEnvironment();
        }
        int world = worldSize == null ? Ranks.worldSizeFromEnvironment() : worldSize;
        if (world < 1) {
            throw new IllegalArgumentException("--world must be at least 1, got " + world);
        }
        int chosen = rank == null ? 0 : rank;
        if (chosen < 0 || chosen >= world) {
            throw new IllegalArgumentException("--rank " + chosen + " is out of range for --world " + world
                    + ": it must be between 0 and " + (world - 1));
        }
        return Ranks.of(chosen, world);
    }
}
