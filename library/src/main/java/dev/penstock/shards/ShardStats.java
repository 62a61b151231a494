// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Statistics of the rows of a corpus, stored in the file `stats.json` beside the shards.
///
/// Sums are accumulated in double precision, first for the rows of each block of [#BLOCK_ROWS] rows and then for
/// the blocks, always in order, so that the result does not depend on the number of threads. Values that are not
/// finite are counted and excluded from all other statistics.
///
/// @param fingerprint    the fingerprint of the corpus
/// @param count          the number of rows
/// @param mean           the mean of each column
/// @param rms            the root mean square of each column
/// @param min            the smallest of all values
/// @param max            the largest of all values
/// @param meanNorm       the mean Euclidean norm of the rows
/// @param meanSquareNorm the mean square norm of the rows
/// @param nonFiniteCount the number of values that are infinite or NaN
/// @param nonFinite      the positions of the first of them, at most [#POSITIONS_MAX]
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
    /// The largest number of positions of non-finite values that are stored.
    public static final int POSITIONS_MAX = 10;

    /// The number of rows whose sums are accumulated together.
    public static final long BLOCK_ROWS = 4096;

    private static final String FORMAT = "penstock shard statistics";

    /// The position of a value.
    public record Position(long row, long column) {}

    /// Computes the statistics by reading all rows once, on several threads.
    public static ShardStats compute(ShardReader shards, Progress progress) throws IOException {
        return new ShardMoments(shards).compute(progress);
    }

    /// The factor that makes the mean square norm equal to the number of columns, so that the mean norm is about
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

    /// Reads the stored statistics of a corpus. Returns null when there are none, or they belong to other rows.
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
                    "the statistics cannot be used: " + e.getMessage() + "; compute them again",
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

    /// Publishes the statistics beside the shards atomically.
    ///
    /// @throws IllegalArgumentException when the result is larger than a reader accepts
    public void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", 1);
        values.putAll(values());
        values.put("mean", list(mean));
        values.put("rms", list(rms));
        Path like = folder.resolve(ShardFormat.MANIFEST);
        ChecksummedJson.publish(disk, folder.resolve(ShardFormat.STATS), ChecksummedJson.write(values), like);
    }

    /// The statistics for JSON, without those of each column.
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

    /// The values of each column for JSON.
    public static List<Double> list(double[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    /// Compares the values of arrays, not their identity.
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
