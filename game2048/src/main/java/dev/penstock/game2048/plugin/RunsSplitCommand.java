// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunSplit;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Seed;
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

/// Splits the runs of a pack for training and testing.
@CommandLine.Command(
        name = "split",
        header = "Split the runs of a pack into a training part and a test part.",
        description = "Prints the indices of both parts. Runs are never divided. The same seed gives the same split.",
        footer = {"", "Example:", "  penstock game2048 runs split games.a2pack --test 0.1 --seed 7"})
final class RunsSplitCommand extends Command {
    /// The unit of the size of the test part.
    enum Unit {
        RUN,
        STEP
    }

    /// The size of the test part.
    static final class Size {
        @Option(
                names = "--test",
                paramLabel = "SHARE",
                description = "Fraction for testing, greater than 0 and less than 1.")
        Double share;

        @Option(names = "--test-size", paramLabel = "N", description = "Number of runs or steps for testing.")
        Long count;
    }

    @Parameters(arity = "1", paramLabel = "PACK", description = "The path of the pack of runs.")
    Path path;

    @ArgGroup(multiplicity = "1")
    Size size;

    @Option(
            names = "--unit",
            paramLabel = "run|step",
            defaultValue = "run",
            description = "Unit of fraction and size; whole runs are taken until the size is reached (default: run).")
    Unit unit;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "0",
            converter = Seed.class,
            description = "Random seed of the shuffle, a 64-bit number from -2^63 to 2^64 - 1 (default: 0).")
    long seed;

    @Option(
            names = "--order",
            paramLabel = "shuffled|original|sequential",
            defaultValue = "shuffled",
            description = "How test runs are chosen: by our shuffle, by the shuffle of the original program, or in"
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
