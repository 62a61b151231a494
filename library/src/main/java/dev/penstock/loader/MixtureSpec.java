// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/// What a mixture is declared to be, by the names of its sources: as programs and files say it.
///
/// A source whose records a stage narrows by a condition becomes a part of its own, with an order of its own.
/// Without such conditions the parts are the sources in their order. With them, parts come in the order in which
/// stages first draw from them, so that stages that are added later only add parts behind the others.
///
/// @param sources     the sources
/// @param stages      the weights, in ascending order
/// @param temperature if given, a stage without weights has weights in proportion to the number of records of each
///                    source to the power of 1 / temperature
/// @param length      the number of samples of an epoch, if it is declared
/// @param seed        the seed of the mixture and, with the number of the part added, of the parts' shuffles
public record MixtureSpec(
        List<Source> sources, List<Stage> stages, OptionalDouble temperature, OptionalLong length, long seed) {
    public MixtureSpec {
        sources = List.copyOf(sources);
        stages = List.copyOf(stages);
        if (sources.isEmpty() || stages.isEmpty()) {
            throw new IllegalArgumentException(
                    "a mixture needs at least one " + (sources.isEmpty() ? "source" : "stage with weights"));
        }
        if (temperature.isPresent() && !(temperature.getAsDouble() > 0 && Double.isFinite(temperature.getAsDouble()))) {
            throw new IllegalArgumentException(
                    "the temperature of a mixture must be above 0, got " + temperature.getAsDouble());
        }
        Set<String> names = new LinkedHashSet<>();
        for (Source source : sources) {
            if (!names.add(source.name())) {
                throw new IllegalArgumentException("two sources of the mixture are named " + source.name());
            }
        }
        for (Stage stage : stages) {
            stage.require(names, temperature.isPresent());
        }
    }

    /// A source.
    ///
    /// @param paths     the files of the source; none where the program has opened it
    /// @param where     the condition that its records meet, or null
    /// @param epochsMax how many epochs of it are drawn at most, [StagedSampler#UNLIMITED] for any number
    /// @param order     the name and the parameters of its sampler; without a name it is shuffled
    public record Source(String name, List<String> paths, String where, double epochsMax, Map<String, Object> order) {
        public Source {
            paths = List.copyOf(paths);
            order = Map.copyOf(order);
        }
    }

    /// The weights from a sample of the run on.
    ///
    /// @param from    the first sample
    /// @param ramp    the number of samples over which the weights move there in a line
    /// @param weights the weight of each source, by name; sources without one are not drawn. Empty for weights by
    ///                the number of records
    /// @param where   conditions that narrow sources in this stage, by name
    public record Stage(long from, long ramp, Map<String, Double> weights, Map<String, String> where) {
        public Stage {
            weights = Map.copyOf(weights);
            where = Map.copyOf(where);
        }

        private void require(Set<String> names, boolean hasSizes) {
            if (weights.isEmpty() && !hasSizes) {
                throw new IllegalArgumentException("the stage from sample " + from
                        + " of the mixture has no weights; give weights, or a temperature for weights by size");
            }
            weights.forEach((name, weight) -> {
                if (!(weight >= 0) || Double.isInfinite(weight)) {
                    throw new IllegalArgumentException(
                            "the stage from sample " + from + " of the mixture has the weight " + weight + " for "
                                    + name + "; weights must be finite and not negative");
                }
            });
            for (Set<String> used : List.of(weights.keySet(), where.keySet())) {
                for (String name : used) {
                    if (!names.contains(name)) {
                        throw new IllegalArgumentException("the stage from sample " + from
                                + " of the mixture names a source " + name + ", but the sources are "
                                + String.join(", ", names));
                    }
                }
            }
        }

        private boolean isDrawing(Source source) {
            return weights.isEmpty() || weights.getOrDefault(source.name(), 0.0) > 0;
        }
    }

    /// A dataset that the mixture draws from: a source, narrowed by a condition or as a whole.
    ///
    /// @param source the number of the source
    /// @param where  the condition of a stage, or null
    public record Part(int source, String where) {}

    /// The datasets that the mixture draws from, in order.
    public List<Part> parts() {
        Set<Part> parts = new LinkedHashSet<>();
        if (stages.stream().allMatch(stage -> stage.where().isEmpty())) {
            for (int i = 0; i < sources.size(); i++) {
                parts.add(new Part(i, null));
            }
            return List.copyOf(parts);
        }
        for (Stage stage : stages) {
            for (int i = 0; i < sources.size(); i++) {
                if (stage.isDrawing(sources.get(i))) {
                    parts.add(part(stage, i));
                }
            }
        }
        return List.copyOf(parts);
    }

    private Part part(Stage stage, int source) {
        return new Part(source, stage.where().get(sources.get(source).name()));
    }

    /// The stages as a [StagedSampler] takes them: weights in the order of the parts.
    ///
    /// @param counts the number of records of each part
    public List<MixtureStage> stages(List<Part> parts, List<Long> counts) {
        List<MixtureStage> all = new ArrayList<>();
        for (Stage stage : stages) {
            Double[] weights = new Double[parts.size()];
            for (int i = 0; i < weights.length; i++) {
                Part part = parts.get(i);
                Source source = sources.get(part.source());
                boolean isDrawn = stage.isDrawing(source) && part.equals(part(stage, part.source()));
                double weight = stage.weights().isEmpty()
                        ? Math.pow(counts.get(i), 1 / temperature.orElseThrow())
                        : stage.weights().getOrDefault(source.name(), 0.0);
                weights[i] = isDrawn ? weight : 0;
            }
            all.add(new MixtureStage(stage.from(), stage.ramp(), List.of(weights)));
        }
        return all;
    }

    /// The sampler of the mixture.
    ///
    /// @param parts    the parts, as [#parts] returns them
    /// @param samplers the sampler of each part
    public StagedSampler sampler(List<Part> parts, List<Sampler> samplers) {
        double[] epochsMax = parts.stream()
                .mapToDouble(part -> sources.get(part.source()).epochsMax())
                .toArray();
        List<Long> counts = samplers.stream().map(Sampler::recordCount).toList();
        return new StagedSampler(samplers, stages(parts, counts), epochsMax, epochLength(samplers, epochsMax), seed);
    }

    /// The declared length; otherwise all samples where every source has a limit, and otherwise the number of
    /// records.
    private long epochLength(List<Sampler> samplers, double[] epochsMax) {
        if (length.isPresent()) {
            return length.getAsLong();
        }
        long count = StagedSampler.sampleCount(samplers, epochsMax);
        return count < Long.MAX_VALUE
                ? count
                : samplers.stream().mapToLong(Sampler::recordCount).sum();
    }
}
