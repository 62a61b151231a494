// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.loader.BucketSampler;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.SamplerRecipe;
import dev.penstock.plugin.Fields;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/// Options for what a checkpoint does not have itself.
final class HistoryData {
    @Option(
            names = "--weights",
            paramLabel = "FIELD",
            description = "The field, or the .npy file, with the weights of a weighted sampler.")
    String weights;

    @Option(
            names = "--lengths",
            paramLabel = "FIELD",
            description = "The variable field, or the .npy file, with the lengths for a bucket sampler.")
    String lengths;

    @Option(
            names = "--indices",
            paramLabel = "FILE",
            description = "The .npy file with the indices of records that the program chose.")
    Path indices;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "Number of records in a batch on one rank, for a checkpoint that does not say.")
    Long batchSize;

    @Option(
            names = "--world",
            paramLabel = "W",
            defaultValue = "1",
            description = "Number of ranks, for a checkpoint that does not say (default: ${DEFAULT-VALUE}).")
    int worldSize;

    @Option(names = "--drop-last", description = "Incomplete steps were dropped, for a checkpoint that does not say.")
    boolean isDroppingLast;

    /// The checkpoint with what it lacks.
    LoaderState completed(LoaderState state) {
        return state.segments().isEmpty() && batchSize != null
                ? state.withSteps(batchSize, worldSize, isDroppingLast, true)
                : state;
    }

    /// The chosen records, or null.
    long[] indices() throws IOException {
        return indices == null
                ? null
                : Arrays.stream(numbers(indices))
                        .mapToLong(number -> (long) number)
                        .toArray();
    }

    SamplerRecipe.Data of(CommandSpec spec, Dataset dataset) {
        return new SamplerRecipe.Data() {
            @Override
            public double[] weights() throws IOException {
                return numbers(spec, dataset, weights, "--weights");
            }

            @Override
            public int[] lengths() throws IOException {
                if (lengths != null && !lengths.endsWith(".npy") && dataset != null) {
                    return BucketSampler.lengths(
                            dataset, Fields.choose(dataset.fields(), lengths).getFirst());
                }
                return Arrays.stream(numbers(spec, dataset, lengths, "--lengths"))
                        .mapToInt(number -> (int) number)
                        .toArray();
            }

            @Override
            public long[] records() throws IOException {
                long[] given = indices();
                return given == null ? SamplerRecipe.Data.super.records() : given;
            }
        };
    }

    private static double[] numbers(CommandSpec spec, Dataset dataset, String given, String option) throws IOException {
        if (given == null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "the checkpoint has only a checksum of the numbers that its sampler was made of; give the field or"
                            + " the .npy file that has them with " + option);
        }
        return given.endsWith(".npy") ? numbers(Path.of(given)) : numbers(dataset, given);
    }

    private static double[] numbers(Path file) throws IOException {
        try (Dataset dataset = Catalog.open(file)) {
            return numbers(dataset, dataset.fields().getFirst().name());
        }
    }

    private static double[] numbers(Dataset dataset, String name) throws IOException {
        Field field = Fields.choose(dataset.fields(), name).getFirst();
        double[] numbers = new double[Math.toIntExact(dataset.count())];
        Scan.of(dataset).withFields(List.of(field)).forEach(chunk -> {
            Batch batch = chunk.batch();
            Column column = batch.column(0);
            for (int row = 0; row < chunk.indices().length; row++) {
                numbers[(int) chunk.indices()[row]] =
                        Elements.toDouble(field.type(), column.values(), row * field.itemSize());
            }
        });
        return numbers;
    }
}
