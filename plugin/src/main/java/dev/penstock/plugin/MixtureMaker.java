// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.MixtureSpec;
import dev.penstock.loader.MixtureText;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SequentialSampler;
import dev.penstock.loader.StagedSampler;
import dev.penstock.loader.UniformSampler;
import dev.penstock.loader.WeightedSampler;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A mixture as its file declares it, opened.
///
/// @param spec    the declaration
/// @param names   the name of each part: its source, and the condition of a stage
/// @param opened  the datasets of the sources, which close with this object
/// @param dataset the parts one after another
public record MixtureMaker(
        MixtureSpec spec, List<String> names, List<Dataset> opened, Concat dataset, StagedSampler sampler)
        implements AutoCloseable {
    private static final long WINDOW_BLOCKS = 64;

    /// Opens the sources of a file. Their paths are relative to its folder.
    ///
    /// @throws IllegalArgumentException when the declaration is wrong; the message names the file
    public static MixtureMaker open(Path file, Catalog.Options options) throws IOException {
        List<Dataset> opened = new ArrayList<>();
        try {
            MixtureSpec spec = MixtureText.parse(MixtureFile.read(file));
            for (MixtureSpec.Source source : spec.sources()) {
                opened.add(opened(source, file.toAbsolutePath().getParent(), options));
            }
            return of(file, spec, opened);
        } catch (ArithmeticException | IllegalArgumentException e) {
            close(opened);
            String message = e.getMessage();
            throw new IllegalArgumentException(
                    message.startsWith(file.toString()) ? message : file + ": " + message, e);
        } catch (Throwable e) {
            close(opened);
            throw e;
        }
    }

    private static MixtureMaker of(Path file, MixtureSpec spec, List<Dataset> opened) throws IOException {
        List<MixtureSpec.Part> parts = spec.parts();
        List<Dataset> datasets = new ArrayList<>();
        List<Sampler> samplers = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (MixtureSpec.Part part : parts) {
            MixtureSpec.Source source = spec.sources().get(part.source());
            Dataset dataset = opened.get(part.source());
            String condition = joined(source.where(), part.where());
            dataset = condition == null ? dataset : Where.select(dataset, condition);
            samplers.add(sampler(source, dataset, spec.seed() + samplers.size()));
            datasets.add(dataset);
            names.add(source.name() + (part.where() == null ? "" : " where " + part.where()));
        }
        return new MixtureMaker(
                spec, names, opened, Concat.owning(Location.of(file), datasets), spec.sampler(parts, samplers));
    }

    /// Both conditions, of which each may be null.
    private static String joined(String first, String second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return "(" + first + ") and (" + second + ")";
    }

    /// Closes the datasets of the sources.
    @Override
    public void close() {
        close(opened);
    }

    private static void close(List<Dataset> datasets) {
        datasets.forEach(Dataset::close);
    }

    private static Dataset opened(MixtureSpec.Source source, Path folder, Catalog.Options options) throws IOException {
        List<Location> locations = new ArrayList<>();
        for (String path : source.paths()) {
            boolean isRemote = path.contains("://");
            locations.add(Location.parse(isRemote ? path : folder.resolve(path).toString()));
        }
        if (locations.isEmpty()) {
            throw new IllegalArgumentException("source " + source.name() + " of the mixture has no path");
        }
        return locations.size() == 1 ? Catalog.open(locations.getFirst(), options) : Catalog.open(locations, options);
    }

    private static Sampler sampler(MixtureSpec.Source source, Dataset dataset, long seed) throws IOException {
        Map<String, Object> order = source.order();
        long own = number(order, "seed", seed);
        String name = (String) order.getOrDefault("sampler", order.containsKey("weights") ? "weighted" : "permutation");
        long count = dataset.count();
        return switch (name) {
            case "permutation" -> new PermutationSampler(count, own);
            case "sequential" -> new SequentialSampler(count);
            case "block" ->
                new BlockSampler(
                        count, number(order, "block_size", 1024), number(order, "window_blocks", WINDOW_BLOCKS), own);
            case "uniform" -> new UniformSampler(count, number(order, "length", count), own);
            case "weighted" -> new WeightedSampler(weights(source, dataset), number(order, "length", count), own);
            default ->
                throw new IllegalArgumentException("source " + source.name() + " of the mixture has a sampler " + name
                        + "; the samplers are permutation, sequential, block, uniform and weighted");
        };
    }

    private static long number(Map<String, Object> order, String name, long otherwise) {
        Object value = order.get(name);
        return value == null ? otherwise : ((Number) value).longValue();
    }

    private static double[] weights(MixtureSpec.Source source, Dataset dataset) throws IOException {
        if (!(source.order().get("weights") instanceof String name)) {
            throw new IllegalArgumentException(
                    "source " + source.name() + " of the mixture needs weights, the name of a field");
        }
        Field field = Fields.choose(dataset.fields(), name).getFirst();
        double[] weights = new double[Math.toIntExact(dataset.count())];
        Scan.of(dataset).withFields(List.of(field)).forEach(chunk -> {
            Batch batch = chunk.batch();
            for (int row = 0; row < chunk.indices().length; row++) {
                weights[(int) chunk.indices()[row]] =
                        Elements.toDouble(field.type(), batch.column(0).values(), row * field.itemSize());
            }
        });
        return weights;
    }

    /// The shares from the beginning of the run to the end of an epoch or, if the last stage begins later, to an
    /// epoch after it.
    public Shares shares(long epoch, int stretches) {
        MixtureSpec.Stage last = spec.stages().getLast();
        long length = sampler.length();
        long changed = last.from() + last.ramp();
        long limit = Math.max((epoch + 1) * length, changed == 0 ? 0 : changed + length);
        return shares(0, Math.min(limit, sampler.end()), stretches);
    }

    /// How many samples of each part come in equal stretches of a run.
    ///
    /// @param first the first sample, over all epochs
    /// @param limit the sample after the last one
    public Shares shares(long first, long limit, int stretches) {
        long[][] counts = new long[stretches + 1][];
        for (int i = 0; i <= stretches; i++) {
            counts[i] = sampler.countsBefore(first + (long) ((double) (limit - first) * i / stretches));
        }
        return new Shares(first, limit, names, counts);
    }

    /// The samples of each part in equal stretches of a run.
    ///
    /// @param counts for each end of a stretch, the samples of each part before
    public record Shares(long first, long limit, List<String> names, long[][] counts) {
        private static final String BARS = " ▁▂▃▄▅▆▇█";

        private long count(int part) {
            return counts[counts.length - 1][part] - counts[0][part];
        }

        private double share(int part) {
            return limit == first ? 0 : (double) count(part) / (limit - first);
        }

        /// The share of a part in each stretch.
        private double[] shares(int part) {
            double[] shares = new double[counts.length - 1];
            for (int i = 0; i < shares.length; i++) {
                long all = 0;
                for (int j = 0; j < names.size(); j++) {
                    all += counts[i + 1][j] - counts[i][j];
                }
                shares[i] = all == 0 ? 0 : (double) (counts[i + 1][part] - counts[i][part]) / all;
            }
            return shares;
        }

        /// One line for each part, with a chart of its share.
        public List<String> lines() {
            int width = names.stream().mapToInt(String::length).max().orElse(0);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                StringBuilder chart = new StringBuilder();
                for (double share : shares(i)) {
                    chart.append(BARS.charAt((int) Math.ceil(Math.min(1, share) * (BARS.length() - 1))));
                }
                lines.add(String.format(
                        Locale.ROOT,
                        "  %-" + Math.max(16, width) + "s |%s| %6.2f %% %,14d samples",
                        Text.printable(names.get(i)),
                        chart,
                        100 * share(i),
                        count(i)));
            }
            return lines;
        }

        public Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("first", first);
            json.put("limit", limit);
            List<Object> parts = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                Map<String, Object> part = new LinkedHashMap<>();
                part.put("name", names.get(i));
                part.put("samples", count(i));
                part.put("share", share(i));
                part.put("shares", Arrays.stream(shares(i)).boxed().toList());
                parts.add(part);
            }
            json.put("parts", parts);
            return json;
        }
    }
}
