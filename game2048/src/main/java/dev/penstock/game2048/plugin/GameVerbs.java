// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.BoardExponents;
import dev.penstock.game2048.BoardSymmetry;
import dev.penstock.game2048.RunDataset;
import dev.penstock.game2048.RunJsonl;
import dev.penstock.game2048.RunLengths;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunStats;
import dev.penstock.game2048.StdRng;
import dev.penstock.game2048.StepDataset;
import dev.penstock.game2048.StepReturns;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import dev.penstock.groups.plugin.GroupVerbs;
import dev.penstock.loader.Transform;
import dev.penstock.pack.PackIntake;
import dev.penstock.pack.PackReader;
import dev.penstock.plugin.VerbPlugin;
import dev.penstock.plugin.VerbRequest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Requests of Python about packs of runs of the game 2048, and about steps.
public final class GameVerbs implements VerbPlugin {
    @Override
    public String name() {
        return "game2048";
    }

    @Override
    public Object answer(String verb, VerbRequest request) throws IOException {
        return switch (verb) {
            case "view" -> view(request);
            case "kind" -> runs(request).kind(request.number("index")).word();
            case "lengths" -> lengths(request);
            case "counts" -> counts(request);
            case "toJsonl" -> toJsonl(request);
            case "order" -> order(request);
            case "buildSteps", "appendSteps" -> steps(verb, request);
            default -> throw new IllegalArgumentException("the game has no verb " + verb);
        };
    }

    @Override
    public Transform transform(String kind, VerbRequest request) throws IOException {
        return switch (kind) {
            case "exponents" -> new BoardExponents();
            case "symmetry" ->
                request.has("symmetry")
                        ? BoardSymmetry.of(Math.toIntExact(request.number("symmetry")))
                        : BoardSymmetry.random(request.number("seed"));
            case "returns" ->
                StepReturns.of(StepsDataset.of(GroupVerbs.table(request)), request.real("gamma"), Progress.NONE);
            default -> throw new IllegalArgumentException("the game has no transform " + kind);
        };
    }

    private static RunPack runs(VerbRequest request) {
        Dataset dataset = request.dataset();
        if (!(dataset instanceof PackReader pack)) {
            throw new IllegalArgumentException(
                    dataset.location() + " is a " + dataset.format() + ", not a pack of runs");
        }
        return RunPack.require(pack);
    }

    private static int workers(VerbRequest request) {
        long workers = request.numberOr("workers", Parallel.defaultThreads());
        if (workers < 1 || workers > 1024) {
            throw new IllegalArgumentException("workers must be between 1 and 1024, got " + workers);
        }
        return (int) workers;
    }

    /// Returns the runs of a pack as a dataset.
    private static Object view(VerbRequest request) throws IOException {
        RunPack runs = runs(request);
        boolean isSteps = request.has("view") && request.text("view").equals("steps");
        Dataset view = isSteps ? StepDataset.of(runs, Progress.NONE) : RunDataset.of(runs, workers(request));
        return request.opened(view);
    }

    private static Object lengths(VerbRequest request) throws IOException {
        RunLengths lengths = runs(request).lengths(Progress.NONE);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("count", lengths.count());
        answer.put("total_steps", lengths.totalSteps());
        answer.put("min_len", lengths.minSteps());
        answer.put("max_len", lengths.maxSteps());
        answer.put("mean_len", lengths.meanSteps());
        answer.put("p50_len", lengths.p50());
        answer.put("p90_len", lengths.p90());
        answer.put("p99_len", lengths.p99());
        return answer;
    }

    /// Returns histograms of the metadata of all runs.
    private static Object counts(VerbRequest request) throws IOException {
        RunStats stats = runs(request).stats(Progress.NONE);
        return Map.of("highest_tile_hist", stats.highestTileHist(), "engine_counts", stats.engineCounts());
    }

    private static Object toJsonl(VerbRequest request) throws IOException {
        RunPack runs = runs(request);
        RunJsonl.Schema schema = RunJsonl.Schema.valueOf(request.text("schema").toUpperCase(Locale.ROOT));
        RunJsonl.Lines lines = RunJsonl.Lines.valueOf(request.text("lines").toUpperCase(Locale.ROOT));
        RunJsonl.Options options = new RunJsonl.Options(schema, lines, workers(request));
        long[] indices = request.has("indices")
                ? request.memory("indices").toArray(ValueLayout.JAVA_LONG_UNALIGNED)
                : runs.liveIndices();
        return runs.toJsonl(
                indices, Path.of(request.text("path")), options, request.isTrue("overwrite"), Progress.NONE);
    }

    /// Builds a steps dataset of recorded runs, or appends runs to one.
    private static Object steps(String verb, VerbRequest request) throws IOException {
        StepsOptions options = StepsOptions.DEFAULT
                .withShardRows(request.numberOr("shardRows", 0))
                .withWorkers(workers(request))
                .withSynthesizing(request.isTrue("synthesize"))
                .withSkippingBad(request.isTrue("skipBad"))
                .withWide(request.isTrue("wide"));
        Path input = Path.of(request.text("input"));
        Path dataset = Path.of(request.text("dataset"));
        StepsDataset.Result result = verb.equals("buildSteps")
                ? StepsDataset.build(input, dataset, options)
                : StepsDataset.append(dataset, input, options);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("runs", result.runCount());
        answer.put("steps", result.stepCount());
        answer.put("skipped", findings(result.skipped()));
        answer.put("warnings", findings(result.warnings()));
        return answer;
    }

    private static List<List<String>> findings(List<PackIntake.Finding> findings) {
        return findings.stream()
                .map(one -> List.of(one.file().toString(), one.reason(), one.what()))
                .toList();
    }

    /// Writes the shuffle of the original program as 64-bit numbers.
    private static Object order(VerbRequest request) {
        MemorySegment target = request.memory("target");
        int count = Math.toIntExact(target.byteSize() / Long.BYTES);
        int[] order = new StdRng(request.number("seed")).shuffled(count);
        for (int i = 0; i < count; i++) {
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, order[i]);
        }
        return null;
    }
}
