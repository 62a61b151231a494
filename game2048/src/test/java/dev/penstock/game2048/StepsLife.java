// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.io.IOException;
import java.nio.file.Path;

/// A program that builds datasets, or appends to one, until it is killed.
final class StepsLife {
    private StepsLife() {}

    /// @param arguments `build` or `append`, the folder, the rows of a shard or 0, and two inputs
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[1]);
        StepsOptions options = StepsOptions.DEFAULT.withWorkers(1).withShardRows(Long.parseLong(arguments[2]));
        for (int i = 0; ; i++) {
            if (arguments[0].equals("build")) {
                StepsDataset.build(Path.of(arguments[3]), folder.resolve("steps" + i), options);
            } else {
                StepsDataset.append(folder, Path.of(arguments[4]), options);
            }
            System.out.println(i);
        }
    }
}
