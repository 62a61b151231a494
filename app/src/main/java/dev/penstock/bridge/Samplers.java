// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Field;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.BucketSampler;
import dev.penstock.loader.MixtureSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SequentialSampler;
import dev.penstock.loader.ShareSampler;
import dev.penstock.loader.SubsetSampler;
import dev.penstock.loader.UniformSampler;
import dev.penstock.loader.WeightedSampler;
import dev.penstock.loader.WindowSampler;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Creates samplers by the names that they have in checkpoints.
final class Samplers {
    private Samplers() {}

    static Sampler make(Request request) throws IOException {
        return switch (request.text("kind")) {
            case "sequential" -> new SequentialSampler(request.number("count"));
            case "permutation" -> new PermutationSampler(request.number("count"), request.number("seed"));
            case "window" ->
                new WindowSampler(request.number("count"), request.number("size"), request.number("stride"));
            case "uniform" ->
                new UniformSampler(request.number("count"), request.number("length"), request.number("seed"));
            case "block" ->
                new BlockSampler(
                        request.number("count"),
                        request.number("blockSize"),
                        request.number("windowBlocks"),
                        request.number("seed"));
            case "share" ->
                new ShareSampler(
                        request.number("count"),
                        request.number("blockSize"),
                        request.number("windowBlocks"),
                        Math.toIntExact(request.number("shares")),
                        request.number("seed"));
            case "weighted" ->
                new WeightedSampler(
                        request.memory("weights").toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED),
                        request.number("length"),
                        request.number("seed"));
            case "subset" ->
                new SubsetSampler(
                        request.number("count"),
                        request.memory("records").toArray(ValueLayout.JAVA_LONG_UNALIGNED),
                        request.object("order", Sampler.class));
            case "bucket" -> bucket(request);
            case "mixture" -> mixture(request);
            case "stages" -> MixtureRequests.sampler(request);
            case String kind -> throw new IllegalArgumentException("there is no sampler named " + kind);
        };
    }

    private static Sampler bucket(Request request) throws IOException {
        int[] lengths;
        if (request.has("lengths")) {
            lengths = request.memory("lengths").toArray(ValueLayout.JAVA_INT_UNALIGNED);
        } else {
            Source source = request.object("dataset", Source.class);
            Field field = DatasetRequests.fields(source.dataset(), request).getFirst();
            lengths = BucketSampler.lengths(source.dataset(), field);
        }
        return new BucketSampler(
                lengths,
                Math.toIntExact(request.number("runSize")),
                Math.toIntExact(request.number("poolSize")),
                request.number("seed"));
    }

    static List<Sampler> parts(Request request) {
        return request.list("parts", Long.class).stream()
                .map(handle -> Handles.get(handle, Sampler.class))
                .toList();
    }

    private static Sampler mixture(Request request) {
        double[] weights = request.list("weights", Number.class).stream()
                .mapToDouble(Number::doubleValue)
                .toArray();
        return new MixtureSampler(parts(request), weights, request.number("length"), request.number("seed"));
    }
}
