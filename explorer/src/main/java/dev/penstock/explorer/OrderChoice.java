// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.loader.Ranks;
import dev.penstock.plugin.SamplerOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The order that a request asks for, by parameters with the names of the options of `plan`.
///
/// @param options        the sampler
/// @param ranks          this rank and the number of ranks
/// @param batchSize      the number of records in a batch on one rank
/// @param isDroppingLast whether the incomplete last step is dropped
/// @param words          the parameters as options of a command, without those that have their usual value
record OrderChoice(SamplerOptions options, Ranks ranks, long batchSize, boolean isDroppingLast, List<String> words) {
    private static final long USUAL_BATCH = 256;
    private static final long BATCH_MAX = 1 << 20;
    private static final int WORLD_MAX = 1 << 16;

    /// The parameters that decide about the order, as opposed to what of it is shown.
    private static final List<String> NAMES = List.of(
            "sampler",
            "seed",
            "block",
            "window",
            "size",
            "stride",
            "length",
            "weights",
            "shares",
            "bucket-field",
            "run",
            "pool",
            "where",
            "batch",
            "world");

    /// @throws IllegalArgumentException when a parameter is invalid
    static OrderChoice of(Query query) {
        SamplerOptions options = new SamplerOptions();
        options.kind = kind(query.text("sampler", "permutation"));
        options.seed = query.has("seed") ? query.seed("seed") : 0;
        options.blockSize = whole(query, "block");
        options.windowBlocks = whole(query, "window");
        options.size = whole(query, "size");
        options.stride = whole(query, "stride");
        options.length = whole(query, "length");
        options.weightField = query.text("weights", null);
        options.shareCount = small(query, "shares");
        options.bucketField = query.text("bucket-field", null);
        options.runSize = small(query, "run");
        options.poolSize = small(query, "pool");
        options.where.condition = query.text("where", null);
        options.check();
        int world = (int) query.number("world", 1, 1, WORLD_MAX);
        int rank = (int) query.number("rank", 0, 0, world - 1L);
        return new OrderChoice(
                options,
                Ranks.of(rank, world),
                query.number("batch", USUAL_BATCH, 1, BATCH_MAX),
                query.text("drop-last", "false").equals("true"),
                words(query));
    }

    private static SamplerOptions.Kind kind(String name) {
        return Arrays.stream(SamplerOptions.Kind.values())
                .filter(kind -> kind.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no sampler " + name + "; the samplers are "
                        + Arrays.stream(SamplerOptions.Kind.values())
                                .map(SamplerOptions.Kind::toString)
                                .collect(Collectors.joining(", "))));
    }

    private static Long whole(Query query, String name) {
        return query.has(name) ? (Long) query.number(name, 0, 0, Long.MAX_VALUE) : null;
    }

    private static Integer small(Query query, String name) {
        return query.has(name) ? (Integer) (int) query.number(name, 0, 0, Integer.MAX_VALUE) : null;
    }

    private static List<String> words(Query query) {
        List<String> words = new ArrayList<>();
        for (String name : NAMES) {
            if (query.has(name)) {
                words.addAll(List.of("--" + name, query.text(name)));
            }
        }
        if (query.text("drop-last", "false").equals("true")) {
            words.add("--drop-last");
        }
        return words;
    }

    /// The line of Python that makes this loader.
    List<String> python(String path, Order order) {
        String condition = options.where.condition;
        String opened = "ds = penstock.open(" + Quoted.python(path) + ")"
                + (condition == null ? "" : ".where(" + Quoted.python(condition) + ")");
        StringBuilder loader = new StringBuilder("loader = penstock.Loader(ds, batch_size=" + batchSize);
        String seed = ", seed=" + options.seed;
        String blocks =
                "block_size=" + order.parameter("blockSize") + ", window_blocks=" + order.parameter("windowBlocks");
        String length = ", length=" + order.length();
        loader.append(
                switch (options.kind) {
                    case PERMUTATION -> ", shuffle=True" + seed;
                    case SEQUENTIAL -> ", shuffle=False";
                    case BLOCK -> sampler("Block(ds, " + blocks + seed);
                    case SHARE -> sampler("Share(ds, " + blocks + ", shares=" + order.parameter("shares") + seed);
                    case WINDOW ->
                        sampler("Window(ds, size=" + options.size + ", stride="
                                + (options.stride == null ? options.size : options.stride));
                    case UNIFORM -> sampler("Uniform(ds" + length + seed);
                    case WEIGHTED ->
                        sampler("Weighted(ds[:][" + Quoted.python(options.weightField) + "]" + length + seed);
                    case BUCKET ->
                        sampler("Bucket(lengths, run_size=" + order.parameter("runSize") + ", pool_size="
                                + order.parameter("poolSize") + seed);
                });
        loader.append(isDroppingLast ? ", drop_last=True" : "");
        loader.append(ranks.worldSize() > 1 ? ", rank=rank, world_size=" + ranks.worldSize() : "")
                .append(")");
        return List.of("import penstock", opened, loader.toString());
    }

    private static String sampler(String made) {
        return ", sampler=penstock.samplers." + made + ")";
    }

    /// The command that prints the same plan.
    String command(String path) {
        String options = words.stream().map(Quoted::shell).collect(Collectors.joining(" "));
        return ("penstock plan " + Quoted.shell(path) + " " + options).strip();
    }

    /// The key of the sampler.
    List<Object> key() {
        List<Object> key = new ArrayList<>(words);
        key.add(ranks.worldSize());
        return key;
    }

    /// What the Python line needs to know of a sampler.
    record Order(Map<String, Object> parameters, long length) {
        Object parameter(String name) {
            return parameters.get(name);
        }
    }
}
