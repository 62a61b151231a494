// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.ForeignKind;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.pack.PackIntake;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Runs of the game 2048 as records of packs.
public record RunFamily() implements RecordFamily, ForeignKind {
    private static final byte[] V1_MAGIC = "A2T1".getBytes(StandardCharsets.US_ASCII);
    private static final int V1_HEAD_SIZE = 6;

    /// The view with one record for each run.
    private static final String RUNS = "runs";

    /// The view with one record for each step of all runs.
    private static final String STEPS = "steps";

    @Override
    public String noun() {
        return "run";
    }

    @Override
    public List<PackKind> kinds() {
        return List.of(RunVersion.V1.kind(), RunVersion.V2.kind());
    }

    @Override
    public List<String> extensions() {
        return List.of(RunVersion.V2.extension(), RunVersion.V1.extension());
    }

    /// Distinguishes the two versions as the original program does: version 1 has a magic number, everything else
    /// is version 2.
    @Override
    public PackKind kind(MemorySegment head) {
        boolean isV1 = head.byteSize() >= V1_HEAD_SIZE
                && Arrays.equals(head.asSlice(0, V1_MAGIC.length).toArray(Layouts.U8), V1_MAGIC)
                && head.get(Layouts.U8, V1_MAGIC.length) == 1;
        return (isV1 ? RunVersion.V1 : RunVersion.V2).kind();
    }

    @Override
    public Optional<String> describe(Candidate candidate) throws IOException {
        if (candidate.kind() == Candidate.Kind.FOLDER) {
            return describeFolder(candidate);
        }
        // Version 2 has no magic number, so its name has to tell.
        boolean isRun =
                candidate.startsWith(V1_MAGIC) || candidate.location().name().endsWith(RunVersion.V2.extension());
        return isRun
                ? Optional.of("a single run of the game 2048; `penstock game2048 runs show` prints it, and `penstock"
                        + " pack build` makes a pack of a folder of runs")
                : Optional.empty();
    }

    private Optional<String> describeFolder(Candidate folder) throws IOException {
        for (Location file : folder.storage().list(folder.location())) {
            for (String extension : extensions()) {
                if (file.name().endsWith(extension) && file.name().length() > extension.length()) {
                    return Optional.of("a folder of runs of the game 2048; `penstock game2048 steps build` makes a"
                            + " dataset of their steps, and `penstock pack build` a pack of the runs");
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<PackIntake> intake(boolean isSkipping) {
        return Optional.of(new RunIntake(isSkipping));
    }

    /// The figures that the original program prints.
    @Override
    public Map<String, Object> summary(PackReader pack, Progress progress) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            return lengths("runs", runs.lengths(progress));
        }
    }

    @Override
    public Map<String, Object> statistics(PackReader pack, Progress progress) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            RunStats stats = runs.stats(progress);
            Map<String, Object> figures = lengths("count", stats.lengths());
            figures.put("p50_len", stats.lengths().p50());
            figures.put("p90_len", stats.lengths().p90());
            figures.put("p99_len", stats.lengths().p99());
            figures.put("highest_tile_hist", stats.highestTileHist());
            figures.put("engine_counts", stats.engineCounts());
            return figures;
        }
    }

    private static Map<String, Object> lengths(String countName, RunLengths lengths) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put(countName, lengths.count());
        figures.put("total_steps", lengths.totalSteps());
        figures.put("min_len", lengths.minSteps());
        figures.put("max_len", lengths.maxSteps());
        figures.put("mean_len", lengths.meanSteps());
        return figures;
    }

    /// The fields that the original program prints for a run.
    @Override
    public Map<String, Object> describe(PackReader pack, long index) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            if (runs.isTombstone(index)) {
                return Map.of();
            }
            Run run = runs.run(index);
            RunMeta meta = run.meta();
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("steps", meta.steps());
            facts.put("max_score", unsigned(meta.maxScore()));
            facts.put("highest_tile", meta.highestTile());
            facts.put("start_unix_s", unsigned(meta.startUnixS()));
            facts.put("elapsed_s", meta.elapsedS());
            facts.put("final_board", Board.text(run.finalBoard()));
            return facts;
        } catch (DatasetException e) {
            return Map.of();
        }
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    @Override
    public List<String> views() {
        return List.of(RUNS, STEPS);
    }

    @Override
    public Dataset view(PackReader pack, String name, Progress progress) throws IOException {
        RunPack runs = RunPack.of(pack);
        return name.equals(RUNS) ? RunDataset.of(runs) : StepDataset.of(runs, progress);
    }

    @Override
    public long[] where(PackReader pack, String condition, Progress progress) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            return runs.where(condition, progress);
        }
    }
}
