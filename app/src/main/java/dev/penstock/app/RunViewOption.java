// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.game2048.RunDataset;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.StepDataset;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import picocli.CommandLine.Option;

/// The option for how the records of a pack of runs are presented.
final class RunViewOption {
    /// The three presentations of a pack of runs.
    enum As {
        BYTES,
        RUNS,
        STEPS
    }

    @Option(
            names = "--as",
            paramLabel = "bytes|runs|steps",
            description =
                    "Read a pack of runs of the game 2048 as stored bytes, as decoded runs with their metadata, or as"
                            + " the steps of all runs.")
    As as;

    /// The default of commands that read records: bytes, or decoded runs if there is a condition.
    static As usual(String condition) {
        return condition == null ? As.BYTES : As.RUNS;
    }

    /// Returns a view of a dataset. Closing the view leaves the dataset open.
    ///
    /// @param otherwise the presentation when the option is not given
    Dataset view(Dataset dataset, As otherwise, Progress progress) throws IOException {
        boolean isRuns = dataset instanceof PackReader pack && RunPack.isRunPack(pack);
        if (as != null && !isRuns) {
            throw new IllegalArgumentException(
                    "--as works for packs of runs only, and " + dataset.location() + " is not one");
        }
        As wanted = as == null ? otherwise : as;
        if (!isRuns || wanted == As.BYTES) {
            return dataset;
        }
        RunPack runs = RunPack.of((PackReader) dataset);
        return wanted == As.RUNS ? RunDataset.of(runs) : StepDataset.of(runs, progress);
    }
}
