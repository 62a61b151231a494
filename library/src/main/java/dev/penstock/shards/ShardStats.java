// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Statistics of the rows of a corpus, kept in the file `stats.json` beside the shards.
///
/// Sums are accumulated in double precision, for the rows of each block of [#BLOCK_ROWS] rows in their order and
/// then for the blocks in their order, so that the result does not depend on the number of threads. Values that
/// are not finite are counted and left out of everything else.
///
/// @param fingerprint    of the corpus
/// @param count          rows
/// @param mean           of each column
/// @param rms            root of the mean square of each column
/// @param min            of all values
/// @param max            of all values
/// @param meanNorm       mean Euclidean norm of the rows
/// @param meanSquareNorm mean square of the norms
/// @param nonFiniteCount values that are infinite or not a number
/// @param nonFinite      the first of them, at most [#POSITIONS_MAX]
public record ShardStats(
        String fingerprint,
        long count,
        double[] mean,
        double[] rms,
        double min,
        double max,
        double meanNorm,
        double meanSquareNorm,
        long nonFiniteCount,
        List<Position> nonFinite) {
    /// Positions of values that are not finite which are kept.
    public static final int POSITIONS_MAX = 10;

    /// Rows whose sums are accumulated together.
    public static final long BLOCK_ROWS = 4096;

    private static final String FORMAT = "penstock shard statistics";

    /// Where a value is.
    public record Position(long row, long column) {}

    /// Reads all rows once, on several threads.
    public static ShardStats compute(ShardReader shards, Progress progress) throws IOException {
        return new ShardMoments(shards).compute(progress);
    }

    /// The factor that makes the mean square of the norms the number of columns, so that the mean norm is about
    /// `sqrt(width)`; 1 when all values are 0.
    public double scale() {
        return meanSquareNorm > 0 ? Math.sqrt(mean.length / meanSquareNorm) : 1;
    }

    /// The same factor for rows from which the mean was subtracted.
    public double centredScale() {
        double sum = 0;
        for (int i = 0; i < mean.length; i++) {
            sum += rms[i] * rms[i] - mean[i] * mean[i];
        }
        return sum > 0 ? Math.sqrt(mean.length / sum) : 1;
    }

    /// The statistics that were kept for a corpus, or null when there are none or they are those of other rows.
    ///
    /// @throws DatasetException when the file is damaged
    public static ShardStats read(ShardReader shards) throws IOException {
        Path folder = shards.folder();
        if (folder == null) {
            return null;
        }
        Path file = folder.resolve(ShardFormat.STATS);
        byte[] bytes = ChecksummedJson.read(shards.disk(), file);
        if (bytes == null) {
            return null;
        }
        try {
            ShardStats stats = parse(ChecksummedJson.parse(bytes));
            boolean isOfTheseRows = stats.count == shards.count()
                    && stats.mean.length == shards.width()
                    && shards.hasFingerprint(stats.fingerprint, shards.count());
            return isOfTheseRows ? stats : null;
        } catch (IllegalArgumentException | ClassCastException | NullPointerException e) {
            throw new DatasetException.Corrupt(
                    file,
                    0,
                    Reason.BAD_STATS,
                    "the statistics cannot be used: " + e.getMessage() + "; compute them again: penstock shards stats "
                            + folder,
                    e);
        }
    }

    private static ShardStats parse(Map<?, ?> values) {
        if (!FORMAT.equals(values.get("format")) || !Long.valueOf(1).equals(values.get("version"))) {
            throw new IllegalArgumentException("its format or version is not known");
        }
        List<Position> positions = new ArrayList<>();
        for (Object item : (List<?>) values.get("nonFinite")) {
            Map<?, ?> position = (Map<?, ?>) item;
            positions.add(new Position((Long) position.get("row"), (Long) position.get("column")));
        }
        ShardStats stats = new ShardStats(
                (String) values.get("fingerprint"),
                (Long) values.get("count"),
                numbers(values.get("mean")),
                numbers(values.get("rms")),
                number(values.get("min")),
                number(values.get("max")),
                number(values.get("meanNorm")),
                number(values.get("meanSquareNorm")),
                (Long) values.get("nonFiniteCount"),
                positions);
        if (stats.fingerprint == null || stats.mean.length != stats.rms.length) {
            throw new IllegalArgumentException("a value is missing");
        }
        return stats;
    }

    private static double[] numbers(Object values) {
        return ((List<?>) values).stream().mapToDouble(ShardStats::number).toArray();
    }

    private static double number(Object value) {
        return value instanceof Number number ? number.doubleValue() : Double.parseDouble((String) value);
    }

    /// Puts the statistics beside the shards, in one step.
    ///
    /// @throws IllegalArgumentException when they are too many to be read again
    public void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", 1);
        values.putAll(values());
        values.put("mean", list(mean));
        values.put("rms", list(rms));
        ChecksummedJson.publish(disk, folder.resolve(ShardFormat.STATS), ChecksummedJson.write(values));
    }

    /// All but the numbers of each column, as JSON has them.
    public Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("fingerprint", fingerprint);
        values.put("count", count);
        values.put("width", mean.length);
        values.put("min", min);
        values.put("max", max);
        values.put("meanNorm", meanNorm);
        values.put("meanSquareNorm", meanSquareNorm);
        values.put("scale", scale());
        values.put("centredScale", centredScale());
        values.put("nonFiniteCount", nonFiniteCount);
        values.put(
                "nonFinite",
                nonFinite.stream()
                        .map(position -> Map.of("row", position.row(), "column", position.column()))
                        .toList());
        return values;
    }

    /// The numbers of each column as JSON has them.
    public static List<Double> list(double[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    /// Compares the numbers, and not which arrays hold them.
    @Override
    public boolean equals(Object other) {
        return other instanceof ShardStats that
                && values().equals(that.values())
                && Arrays.equals(mean, that.mean)
                && Arrays.equals(rms, that.rms);
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }
}
