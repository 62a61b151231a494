// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.JsonObject;
import dev.penstock.table.TableFormat;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The `manifest.json` of a steps dataset: the keys of the design (`version`, `num_steps`, `num_runs`,
/// `created`) and additional keys of ours.
///
/// `verify` compares the files with its checksums. For shards it is also the manifest of the table, so shards
/// that are not listed are ignored. It has no information that the rows and the database do not have.
///
/// @param created the time when the dataset was created, as ISO 8601 in UTC
/// @param sources the sources of the runs, one entry for each build and append
record StepsManifest(
        boolean isSharded,
        boolean isWide,
        long steps,
        long runs,
        String created,
        List<TableShard> shards,
        List<Map<String, Object>> sources) {
    private static final String KIND = "2048 steps";

    /// The format of a manifest that is not that of a table, because the rows are in a single file.
    private static final String FORMAT = "penstock steps";

    StepsManifest {
        shards = List.copyOf(shards);
        sources = List.copyOf(sources);
    }

    /// The manifest of an empty dataset.
    static StepsManifest empty(boolean isSharded, boolean isWide) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return new StepsManifest(isSharded, isWide, 0, 0, now, List.of(), List.of());
    }

    /// Reads the manifest of a folder. Returns null when there is no usable manifest of a steps dataset.
    static StepsManifest read(Disk disk, Path folder) throws IOException {
        byte[] bytes = ChecksummedJson.read(disk, folder.resolve(TableFormat.MANIFEST));
        try {
            boolean isDamaged = bytes != null && ChecksummedJson.hasChecksum(bytes) && !ChecksummedJson.isIntact(bytes);
            return bytes != null && !isDamaged && Json.parse(bytes) instanceof Map<?, ?> values ? parse(values) : null;
        } catch (IllegalArgumentException | ClassCastException | NullPointerException e) {
            // The manifest is never needed: rows and database have the same information.
            return null;
        }
    }

    private static StepsManifest parse(Map<?, ?> values) {
        if (!KIND.equals(values.get("kind"))) {
            return null;
        }
        List<TableShard> shards = new JsonObject(values)
                .objects("shards").stream()
                        .map(one -> TableShard.of(one.values()))
                        .toList();
        List<Map<String, Object>> sources = new ArrayList<>();
        for (Object one : (List<?>) values.get("sources")) {
            Map<String, Object> source = new LinkedHashMap<>();
            ((Map<?, ?>) one).forEach((key, value) -> source.put((String) key, value));
            sources.add(source);
        }
        return new StepsManifest(
                "penstock table".equals(values.get("format")),
                (boolean) values.get("wide"),
                (long) values.get("num_steps"),
                (long) values.get("num_runs"),
                (String) values.get("created"),
                shards,
                sources);
    }

    /// Returns a copy with other files.
    StepsManifest with(List<TableShard> newShards, long newSteps, long newRuns, Map<String, Object> source) {
        List<Map<String, Object>> all = new ArrayList<>(sources);
        if (source != null) {
            all.add(source);
        }
        return new StepsManifest(isSharded, isWide, newSteps, newRuns, created, newShards, all);
    }

    /// Publishes the manifest in a folder atomically, and replaces an existing one.
    void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("version", 1);
        values.put("num_steps", steps);
        values.put("num_runs", runs);
        values.put("created", created);
        values.put("kind", KIND);
        values.put("wide", isWide);
        values.put("board", "u64, cell 0 (top left) in the highest four bits, exponents of two");
        values.put("moves", List.of("up", "down", "left", "right"));
        values.put("rows", steps);
        TableShard.manifest(StepsFormat.rowType(isWide), shards, created).forEach(values::putIfAbsent);
        if (!isSharded) {
            values.put("format", FORMAT);
        }
        values.put("sources", sources);
        byte[] bytes =
                isSharded ? ChecksummedJson.write(values) : (Json.text(values) + "\n").getBytes(StandardCharsets.UTF_8);
        ChecksummedJson.publish(disk, folder.resolve(TableFormat.MANIFEST), bytes);
    }
}
