// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.List;
import java.util.Map;

/// The rank of this process among several processes.
///
/// @param rank           the rank, from 0
/// @param worldSize      the number of ranks
/// @param localWorldSize the number of ranks on this machine
public record Ranks(int rank, int worldSize, int localWorldSize) {
    /// A single process.
    public static final Ranks ALONE = new Ranks(0, 1, 1);

    /// The variables that launchers set for each process, in order of precedence. Slurm's variables are not among
    /// them: they describe the allocation, and a single program inside it sees them too.
    private static final List<String> RANK = List.of("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK");

    /// The rank among those of this machine.
    private static final List<String> LOCAL_RANK = List.of("LOCAL_RANK");

    private static final List<String> WORLD = List.of("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    private static final List<String> LOCAL = List.of("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE");

    public Ranks {
        if (worldSize < 1 || rank < 0 || rank >= worldSize || localWorldSize < 1) {
            throw new IllegalArgumentException("invalid rank " + rank + " of " + worldSize + ", " + localWorldSize
                    + " on this machine: a rank must be at least 0 and less than the world size");
        }
    }

    public static Ranks of(int rank, int worldSize) {
        return new Ranks(rank, worldSize, 1);
    }

    /// The ranks of the environment, or [#ALONE] if it has none.
    ///
    /// @throws IllegalArgumentException when the environment is inconsistent
    public static Ranks fromEnvironment() {
        return from(System.getenv());
    }

    /// The number of ranks of the environment; 1 if it has none.
    public static int worldSizeFromEnvironment() {
        return number(System.getenv(), WORLD, 1);
    }

    static Ranks from(Map<String, String> environment) {
        int worldSize = number(environment, WORLD, 1);
        int localWorldSize = number(environment, LOCAL, 1);
        boolean isOneMachine = localWorldSize == worldSize || LOCAL.stream().noneMatch(environment::containsKey);
        int rank = number(environment, RANK, isOneMachine ? number(environment, LOCAL_RANK, -1) : -1);
        if (rank < 0 && worldSize > 1) {
            throw new IllegalArgumentException(
                    "the environment has " + worldSize + " ranks but no rank of this process: set RANK");
        }
        rank = Math.max(0, rank);
        return new Ranks(rank, worldSize, Math.min(worldSize, localWorldSize));
    }

    private static int number(Map<String, String> environment, List<String> names, int otherwise) {
        for (String name : names) {
            String text = environment.get(name);
            if (text != null && !text.isBlank()) {
                try {
                    return Integer.parseInt(text.strip());
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException(name + " is " + text + ", which is not a number", e);
                }
            }
        }
        return otherwise;
    }
}
