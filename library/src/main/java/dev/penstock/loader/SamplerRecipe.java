// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.view.Selection;
import dev.penstock.view.ViewRecipe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Makes samplers from their descriptions in checkpoints ([Sampler#recipe]).
public final class SamplerRecipe {
    private SamplerRecipe() {}

    /// Data that some samplers were made of and that a checkpoint has only a checksum of.
    public interface Data {
        /// The weight of each record.
        default double[] weights() throws IOException {
            throw missing("the weights of the records");
        }

        /// The number of items of each record.
        default int[] lengths() throws IOException {
            throw missing("the lengths of the records");
        }

        /// The records that were selected, in ascending order.
        default long[] records() throws IOException {
            throw missing("the records that were selected");
        }

        private static IllegalArgumentException missing(String what) {
            return new IllegalArgumentException(
                    "the checkpoint has a checksum of " + what + " only, so they are" + " needed to compute its order");
        }
    }

    /// Makes the sampler that a checkpoint describes.
    ///
    /// @throws IllegalArgumentException when the description is damaged, or the data is not what the sampler
    ///                                  was made of
    public static Sampler make(Map<?, ?> recipe, Data data) throws IOException {
        try {
            Sampler sampler = made(recipe, data);
            if (!plain(recipe.get("parameters")).equals(plain(sampler.parameters()))) {
                throw new IllegalArgumentException("the checkpoint has a sampler " + recipe.get("sampler") + " "
                        + recipe.get("parameters") + ", but from this data it is " + sampler.parameters());
            }
            return sampler;
        } catch (ClassCastException | NullPointerException e) {
            throw new IllegalArgumentException("the description of a sampler is incomplete: " + recipe, e);
        }
    }

    /// Compares parameters as they are after a round trip through JSON.
    private static Map<String, Object> plain(Object parameters) {
        Map<?, ?> map = (Map<?, ?>) parameters;
        List<String> keys = map.keySet().stream().map(String.class::cast).toList();
        Map<String, Object> copy = new LinkedHashMap<>();
        keys.forEach(key -> copy.put(key, map.get(key)));
        return new LoaderState("", 0, "", copy, 0, 0).parameters();
    }

    private static Sampler made(Map<?, ?> recipe, Data data) throws IOException {
        Map<?, ?> parameters = (Map<?, ?>) recipe.get("parameters");
        String name = (String) recipe.get("sampler");
        long count = (Long) recipe.get("records");
        return switch (name) {
            case "sequential" -> new SequentialSampler(count);
            case "permutation" -> new PermutationSampler(count, number(parameters, "seed"));
            case "block" ->
                new BlockSampler(
                        count,
                        number(parameters, "blockSize"),
                        number(parameters, "windowBlocks"),
                        number(parameters, "seed"));
            case "share" ->
                new ShareSampler(
                        count,
                        number(parameters, "blockSize"),
                        number(parameters, "windowBlocks"),
                        Math.toIntExact(number(parameters, "shares")),
                        number(parameters, "seed"));
            case "window" -> new WindowSampler(count, number(parameters, "size"), number(parameters, "stride"));
            case "uniform" -> new UniformSampler(count, number(parameters, "length"), number(parameters, "seed"));
            case "weighted" ->
                new WeightedSampler(data.weights(), number(parameters, "length"), number(parameters, "seed"));
            case "bucket" ->
                new BucketSampler(
                        data.lengths(),
                        Math.toIntExact(number(parameters, "runSize")),
                        Math.toIntExact(number(parameters, "poolSize")),
                        number(parameters, "seed"));
            case "subset" -> subset(recipe, count, data);
            case "mixture" ->
                new MixtureSampler(
                        parts(recipe, data), weights(recipe), number(parameters, "length"), number(parameters, "seed"));
            case "stages" ->
                StagedSampler.of(recipe, parts(recipe, data), number(parameters, "length"), number(parameters, "seed"));
            default -> throw new IllegalArgumentException("there is no sampler named " + name);
        };
    }

    private static long number(Map<?, ?> parameters, String name) {
        return ((Number) parameters.get(name)).longValue();
    }

    private static Sampler subset(Map<?, ?> recipe, long count, Data data) throws IOException {
        Selection selection = ViewRecipe.selection(recipe);
        long[] records = selection == null ? data.records() : new long[Math.toIntExact(selection.count())];
        for (int i = 0; selection != null && i < records.length; i++) {
            records[i] = selection.at(i);
        }
        return new SubsetSampler(count, records, make((Map<?, ?>) recipe.get("order"), data));
    }

    private static List<Sampler> parts(Map<?, ?> recipe, Data data) throws IOException {
        List<Sampler> parts = new ArrayList<>();
        long first = 0;
        for (Object part : (List<?>) recipe.get("parts")) {
            long count = (Long) ((Map<?, ?>) part).get("records");
            parts.add(make((Map<?, ?>) part, slice(data, first, count)));
            first += count;
        }
        return parts;
    }

    /// The data of one of several concatenated datasets.
    private static Data slice(Data all, long first, long count) {
        return new Data() {
            @Override
            public double[] weights() throws IOException {
                return Arrays.copyOfRange(all.weights(), Math.toIntExact(first), Math.toIntExact(first + count));
            }

            @Override
            public int[] lengths() throws IOException {
                return Arrays.copyOfRange(all.lengths(), Math.toIntExact(first), Math.toIntExact(first + count));
            }

            @Override
            public long[] records() throws IOException {
                return Arrays.stream(all.records())
                        .filter(record -> record >= first && record < first + count)
                        .map(record -> record - first)
                        .toArray();
            }
        };
    }

    private static double[] weights(Map<?, ?> recipe) {
        return ((List<?>) recipe.get("weights"))
                .stream().mapToDouble(weight -> ((Number) weight).doubleValue()).toArray();
    }
}
