// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunSplit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A division of the runs of a pack for testing and training.
@CommandLine.Command(
        name = "split",
        header = "Divide the runs of a pack into a part for testing and a part for training.",
        description =
                "Prints the indices of both parts. Whole runs go to one side. The same seed gives the same parts.",
        footer = {"", "Example:", "  penstock runs split games.a2pack --test 0.1 --seed 7"})
final class RunsSplitCommand extends Command {
    /// What the size of the test part counts.
    enum Unit {
        RUN,
        STEP
    }

    /// How much is for testing.
    static final class Size {
        @Option(names = "--test", paramLabel = "SHARE", description = "Share for testing, above 0 and below 1.")
        Double share;

        @Option(names = "--test-size", paramLabel = "N", description = "Runs or steps for testing.")
        Long count;
    }

    @Parameters(arity = "1", paramLabel = "PACK", description = "The pack of runs.")
    Path path;

    @ArgGroup(multiplicity = "1")
    Size size;

    @Option(
            names = "--unit",
            paramLabel = "run|step",
            defaultValue = "run",
            description = "What share and size count; whole runs are taken until it is reached (default: run).")
    Unit unit;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "0", description = "For the two shuffles (default: 0).")
    long seed;

    @Option(
            names = "--order",
            paramLabel = "shuffled|original|sequential",
            defaultValue = "shuffled",
            description =
                    "How runs are chosen for testing: by a shuffle of ours, by that of the original program, or in"
                            + " the order of the pack (default: shuffled).")
    RunSplit.Order order;

    @Override
    public Integer call() throws IOException {
        RunSplit.Options options = new RunSplit.Options(
                size.share == null ? 0 : size.share,
                size.count == null ? -1 : size.count,
                unit == Unit.STEP,
                seed,
                order);
        try (RunPack pack = RunPack.open(path);
                ProgressBar progress = progress("split", ProgressBar.Unit.RECORDS)) {
            RunSplit split = pack.split(options, progress);
            if (isJson) {
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("test", Arrays.stream(split.test()).boxed().toList());
                json.put("train", Arrays.stream(split.train()).boxed().toList());
                printJson(json);
            } else {
                print("test: " + text(split.test()));
                print("train: " + text(split.train()));
            }
        }
        return 0;
    }

    private static String text(long[] indices) {
        return Arrays.stream(indices).mapToObj(Long::toString).collect(Collectors.joining(","));
    }
}
