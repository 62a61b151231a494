// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The weights of the sources of a mixture from a sample of the run on.
///
/// @param from    the first sample, counted from the beginning of the run over all epochs
/// @param ramp    the number of samples over which the weights move in a line from those before to these; 0 for a
///                jump
/// @param weights the relative frequency of each source; sources that the list is too short for have weight 0
public record MixtureStage(long from, long ramp, List<Double> weights) {
    public MixtureStage {
        weights = List.copyOf(weights);
        if (from < 0 || ramp < 0) {
            throw new IllegalArgumentException(
                    "the start and the ramp of a stage must not be negative, got " + from + " and " + ramp);
        }
        double total = 0;
        for (int i = 0; i < weights.size(); i++) {
            double weight = weights.get(i);
            if (!(weight >= 0) || Double.isInfinite(weight)) {
                throw new IllegalArgumentException(
                        "weights must be finite and not negative; source " + i + " has " + weight);
            }
            total += weight;
        }
        if (!(total > 0) || Double.isInfinite(total)) {
            throw new IllegalArgumentException(
                    "the stage from sample " + from + " has no source with a weight above 0");
        }
    }

    /// A stage that begins at once.
    public static MixtureStage of(long from, double... weights) {
        return new MixtureStage(from, 0, Arrays.stream(weights).boxed().toList());
    }

    /// The shares of `count` sources, which add up to 1.
    double[] shares(int count) {
        double[] shares = new double[count];
        double total = weights.stream().mapToDouble(weight -> weight).sum();
        for (int i = 0; i < weights.size(); i++) {
            shares[i] = weights.get(i) / total;
        }
        return shares;
    }

    /// Whether it has the same weights as another stage, apart from sources with weight 0 at the end.
    boolean isSame(MixtureStage other) {
        int count = Math.max(weights.size(), other.weights.size());
        return from == other.from && ramp == other.ramp && Arrays.equals(shares(count), other.shares(count));
    }

    /// Values for JSON.
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("from", from);
        json.put("ramp", ramp);
        json.put("weights", weights);
        return json;
    }

    static MixtureStage parse(Map<?, ?> json) {
        List<Double> weights = new ArrayList<>();
        for (Object weight : (List<?>) json.get("weights")) {
            weights.add(((Number) weight).doubleValue());
        }
        return new MixtureStage((Long) json.get("from"), (Long) json.get("ramp"), weights);
    }
}
