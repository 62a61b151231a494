// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/// Reads the declaration of a mixture from values as JSON and YAML have them.
///
/// ```
/// sources:
///   web: {path: web.npy, max_epochs: 2}
///   books: {path: [a.npy, b.npy], where: quality > 0.5, sampler: block, block_size: 64}
/// stages:
///   - weights: {web: 3, books: 1}
///   - {sample: 100000, ramp: 5000, weights: {web: 1, books: 1}, where: {web: quality > 0.8}}
/// length: 1000000
/// seed: 7
/// ```
///
/// Instead of `stages` there may be `weights` for the whole run, or `temperature` alone. A stage begins at a
/// `sample` of the run, or at a `step`, of `step_size` samples each; its ramp counts the same. Words that mean
/// nothing are refused.
public final class MixtureText {
    private static final Set<String> KEYS =
            Set.of("sources", "stages", "weights", "temperature", "length", "seed", "step_size");
    private static final Set<String> STAGE_KEYS = Set.of("sample", "step", "ramp", "weights", "where");
    /// The parameters of samplers, which a source has beside its own.
    private static final Set<String> ORDER_KEYS =
            Set.of("sampler", "block_size", "window_blocks", "length", "weights", "seed");

    private static final Set<String> SOURCE_KEYS = Set.of("name", "path", "where", "max_epochs");

    private MixtureText() {}

    /// Reads a declaration.
    ///
    /// @throws IllegalArgumentException when it is incomplete or contradicts itself; the message says where
    public static MixtureSpec parse(Map<?, ?> text) {
        require(text, KEYS, "the mixture");
        List<MixtureSpec.Source> sources = sources(text.get("sources"));
        long stepSize = whole(text, "step_size", 1, "the mixture");
        OptionalDouble temperature = text.get("temperature") == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(number(text.get("temperature"), "the temperature"));
        OptionalLong length = text.get("length") == null
                ? OptionalLong.empty()
                : OptionalLong.of(whole(text, "length", 0, "the mixture"));
        return new MixtureSpec(
                sources, stages(text, sources, stepSize), temperature, length, whole(text, "seed", 0, "the mixture"));
    }

    private static List<MixtureSpec.Source> sources(Object declared) {
        List<MixtureSpec.Source> sources = new ArrayList<>();
        if (declared instanceof Map<?, ?> byName) {
            byName.forEach((name, source) -> sources.add(source(String.valueOf(name), source)));
        } else if (declared instanceof List<?> list) {
            for (Object one : list) {
                Object name = one instanceof Map<?, ?> map ? map.get("name") : null;
                sources.add(source(name == null ? String.valueOf(sources.size()) : String.valueOf(name), one));
            }
        } else {
            throw new IllegalArgumentException("a mixture needs sources: a path for each name");
        }
        return sources;
    }

    private static MixtureSpec.Source source(String name, Object declared) {
        String what = "source " + name;
        if (declared instanceof String path) {
            return new MixtureSpec.Source(name, List.of(path), null, StagedSampler.UNLIMITED, Map.of());
        }
        if (!(declared instanceof Map<?, ?> source)) {
            throw new IllegalArgumentException(what + " must be a path, or an object with a path, got " + declared);
        }
        Map<String, Object> order = new LinkedHashMap<>();
        Map<Object, Object> own = new LinkedHashMap<>(source);
        for (String key : ORDER_KEYS) {
            if (own.get(key) != null) {
                order.put(key, own.get(key));
            }
            own.remove(key);
        }
        require(own, SOURCE_KEYS, what);
        List<String> paths = switch (own.get("path")) {
            case null -> List.of();
            case String path -> List.of(path);
            case List<?> list -> list.stream().map(String::valueOf).toList();
            default -> throw new IllegalArgumentException(what + " has a path that is no text");
        };
        double epochsMax = own.get("max_epochs") == null
                ? StagedSampler.UNLIMITED
                : number(own.get("max_epochs"), "max_epochs of " + what);
        return new MixtureSpec.Source(name, paths, text(own.get("where"), "where of " + what), epochsMax, order);
    }

    private static List<MixtureSpec.Stage> stages(Map<?, ?> text, List<MixtureSpec.Source> sources, long stepSize) {
        Object declared = text.get("stages");
        if (declared == null) {
            Map<String, Double> weights = weights(text.get("weights"), sources, "the mixture");
            return List.of(new MixtureSpec.Stage(0, 0, weights, Map.of()));
        }
        if (text.get("weights") != null || !(declared instanceof List<?> list)) {
            throw new IllegalArgumentException(
                    text.get("weights") == null
                            ? "the stages of a mixture must be a list"
                            : "a mixture has either weights or stages, and not both");
        }
        List<MixtureSpec.Stage> stages = new ArrayList<>();
        for (Object one : list) {
            String what = "stage " + stages.size() + " of the mixture";
            if (!(one instanceof Map<?, ?> stage)) {
                throw new IllegalArgumentException(what + " must be an object with weights, got " + one);
            }
            stages.add(stage(stage, sources, stepSize, what));
        }
        return stages;
    }

    private static MixtureSpec.Stage stage(
            Map<?, ?> stage, List<MixtureSpec.Source> sources, long stepSize, String what) {
        require(stage, STAGE_KEYS, what);
        if (stage.get("sample") != null && stage.get("step") != null) {
            throw new IllegalArgumentException(what + " begins at a sample or at a step, and not at both");
        }
        boolean isStep = stage.get("step") != null;
        if (isStep && stepSize < 1) {
            throw new IllegalArgumentException("the step_size of a mixture must be at least 1, got " + stepSize);
        }
        long unit = isStep ? stepSize : 1;
        Map<String, String> where = new LinkedHashMap<>();
        if (stage.get("where") instanceof Map<?, ?> conditions) {
            conditions.forEach((name, condition) -> where.put(String.valueOf(name), text(condition, what)));
        } else if (stage.get("where") != null) {
            throw new IllegalArgumentException(what + " has a condition without the name of its source, such as"
                    + " {\"web\": \"quality > 0.5\"}");
        }
        return new MixtureSpec.Stage(
                Math.multiplyExact(whole(stage, isStep ? "step" : "sample", 0, what), unit),
                Math.multiplyExact(whole(stage, "ramp", 0, what), unit),
                weights(stage.get("weights"), sources, what),
                where);
    }

    private static Map<String, Double> weights(Object declared, List<MixtureSpec.Source> sources, String what) {
        Map<String, Double> weights = new LinkedHashMap<>();
        if (declared instanceof Map<?, ?> byName) {
            byName.forEach((name, weight) ->
                    weights.put(String.valueOf(name), number(weight, "the weight of " + name + " in " + what)));
        } else if (declared instanceof List<?> list) {
            if (list.size() > sources.size()) {
                throw new IllegalArgumentException(
                        what + " has " + list.size() + " weights for " + sources.size() + " sources");
            }
            for (int i = 0; i < list.size(); i++) {
                weights.put(sources.get(i).name(), number(list.get(i), "weight " + i + " of " + what));
            }
        } else if (declared != null) {
            throw new IllegalArgumentException(what + " must have a weight for each source, got " + declared);
        }
        return weights;
    }

    private static void require(Map<?, ?> map, Set<String> keys, String what) {
        for (Object key : map.keySet()) {
            if (!keys.contains(key)) {
                throw new IllegalArgumentException(what + " has an unknown entry " + key + "; the entries are "
                        + String.join(", ", keys.stream().sorted().toList()));
            }
        }
    }

    private static String text(Object value, String what) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw new IllegalArgumentException(what + " must be text, got " + value);
    }

    private static double number(Object value, String what) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException(what + " must be a number, got " + value);
    }

    private static long whole(Map<?, ?> map, String key, long otherwise, String what) {
        return switch (map.get(key)) {
            case null -> otherwise;
            case Long number -> number;
            case Integer number -> number;
            case Object other ->
                throw new IllegalArgumentException(key + " of " + what + " must be a whole number, got " + other);
        };
    }
}
