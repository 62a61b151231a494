// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.RemoteCounts;
import dev.penstock.loader.CentreScale;
import dev.penstock.loader.Convert;
import dev.penstock.loader.History;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.LoaderStats;
import dev.penstock.loader.OneHot;
import dev.penstock.loader.PackTokens;
import dev.penstock.loader.Pad;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.Transform;
import dev.penstock.plugin.Description;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/// Requests about loaders and samplers.
final class LoaderRequests {
    private LoaderRequests() {}

    static Loader loader(Request request) {
        return request.object("handle", LoaderSource.class).loader();
    }

    /// Creates a sampler.
    static Object sampler(Request request) throws IOException {
        Sampler sampler = Samplers.make(request);
        Map<String, Object> answer = new LinkedHashMap<>();
        request.keep(sampler);
        answer.put("name", sampler.name());
        answer.put("parameters", sampler.parameters());
        answer.put("count", sampler.recordCount());
        answer.put("length", sampler.length());
        return answer;
    }

    static Object draw(Request request) {
        request.object("handle", Sampler.class)
                .fill(request.number("epoch"), request.number("position"), request.memory("target"));
        return null;
    }

    static Object position(Request request) {
        return request.object("handle", Sampler.class)
                .position(request.number("epoch"), request.number("index"))
                .orElse(-1);
    }

    static Object create(Request request) throws IOException {
        Dataset dataset = request.object("dataset", Source.class).dataset();
        LoaderOptions options = LoaderOptions.of(request.number("batchSize"))
                .withSampler(request.has("sampler") ? request.object("sampler", Sampler.class) : null)
                .withDroppingLast(request.isTrue("dropLast"))
                .withEvenBatches(!request.isTrue("uneven"))
                .withFollowing(request.isTrue("follow"))
                .withTransforms(transforms(request).toArray(Transform[]::new));
        if (request.has("world")) {
            options = options.withRanks(new Ranks(
                    Math.toIntExact(request.number("rank")),
                    Math.toIntExact(request.number("world")),
                    Math.toIntExact(request.numberOr("localWorld", 1))));
        }
        if (request.has("threads")) {
            options = options.withThreads(Math.toIntExact(request.number("threads")));
        }
        if (request.has("prefetch")) {
            options = options.withPrefetchBytes(request.number("prefetch"));
        }
        if (request.has("fields")) {
            options = options.withFields(DatasetRequests.fields(dataset, request));
        }
        if (request.has("onError")) {
            options = options.withOnError(
                    LoaderOptions.OnError.valueOf(request.text("onError").toUpperCase(Locale.ROOT)));
        }
        Loader loader = Loader.open(dataset, options);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("fields", loader.fields().stream().map(Description::of).toList());
        answer.put("threads", (long) options.threads());
        answer.put("rank", (long) options.ranks().rank());
        answer.put("world", (long) options.ranks().worldSize());
        OptionalLong seed = request.has("seeds") ? OptionalLong.of(request.number("seeds")) : OptionalLong.empty();
        request.keep(new LoaderSource(loader, seed));
        return answer;
    }

    private static List<Transform> transforms(Request request) throws IOException {
        List<Transform> transforms = new ArrayList<>();
        if (request.has("transforms")) {
            for (Map<?, ?> one : request.list("transforms", Map.class)) {
                transforms.add(transform(new Request(one)));
            }
        }
        return transforms;
    }

    private static Transform transform(Request request) throws IOException {
        boolean isOfPlugin = request.text("kind").indexOf('.') >= 0;
        return isOfPlugin ? PluginRequests.transform(request) : columnTransform(request);
    }

    private static Transform columnTransform(Request request) {
        String[] fields = request.list("fields", String.class).toArray(String[]::new);
        if (request.text("kind").equals("pad")) {
            return Pad.of(fields[0])
                    .withFill(request.real("fill"))
                    .withMultiple(request.number("multiple"))
                    .withLengthMax(request.numberOr("lengthMax", Long.MAX_VALUE));
        }
        ElementType type = ElementType.valueOf(request.text("type").toUpperCase(Locale.ROOT));
        if (request.text("kind").equals("packTokens")) {
            PackTokens pack = PackTokens.of(fields[0], Math.toIntExact(request.number("length")))
                    .withOrder(request.isTrue("inOrder") ? PackTokens.Order.IN_ORDER : PackTokens.Order.BEST_FIT)
                    .withFill(request.real("fill"))
                    .withBytesType(type);
            return request.has("rows") ? pack.withRows(request.number("rows")) : pack;
        }
        if (request.text("kind").equals("oneHot")) {
            return OneHot.of(fields[0], request.number("classes"), type);
        }
        if (request.text("kind").equals("normalise")) {
            return CentreScale.normalising(fields[0], reals(request, "mean"), reals(request, "deviation"), type);
        }
        if (request.text("kind").equals("centreScale")) {
            return CentreScale.of(fields[0], reals(request, "mean"), request.real("scale"), type);
        }
        Convert convert = Convert.scaled(type, request.real("scale"), request.real("shift"), fields);
        return request.has("kept")
                ? convert.except(request.list("kept", String.class).toArray(String[]::new))
                : convert;
    }

    private static double[] reals(Request request, String name) {
        return request.list(name, Number.class).stream()
                .mapToDouble(Number::doubleValue)
                .toArray();
    }

    /// Loads the batch of any step, described at the address `info`.
    static Object step(Request request) throws IOException {
        LoaderSource source = request.object("handle", LoaderSource.class);
        try (LoaderBatch batch = source.loader().createBatch()) {
            source.loader().read(request.number("epoch"), request.number("step"), batch);
            HeldBatch held = source.hold(batch);
            held.describe(request.memory("info"));
            request.keep(held);
            return null;
        }
    }

    /// Returns the checkpoint of the consumer, who has received `steps` steps of the running iteration.
    static Object state(Request request) throws IOException {
        return loader(request).state(request.numberOr("steps", Long.MAX_VALUE)).toJson();
    }

    static Object rewind(Request request) {
        return request.object("handle", LoaderSource.class).rewind(request.number("ticket"), request.number("steps"));
    }

    static Object resume(Request request) throws IOException {
        request.object("handle", LoaderSource.class).end();
        loader(request).resume(LoaderState.parse(request.text("state")));
        return null;
    }

    static Object moveOn(Request request) {
        loader(request).moveOn();
        return null;
    }

    /// The places of a record in some epochs: epoch, step, rank and position of each.
    static Object stepsOf(Request request) {
        History history = loader(request).history();
        List<List<Long>> found = new ArrayList<>();
        for (long epoch : request.list("epochs", Long.class)) {
            for (History.Seen place : history.places(epoch, request.number("record"))) {
                found.add(List.of(epoch, place.step(), (long) place.rank(), place.position()));
            }
        }
        return found;
    }

    /// The number of rows of a step on one rank, or on all for rank -1, and their records in memory of Python if
    /// it has given enough.
    static Object recordsOf(Request request) {
        int rank = Math.toIntExact(request.number("rank"));
        long[] indices = loader(request).history().indices(request.number("epoch"), request.number("step"), rank);
        MemorySegment target = request.memory("target");
        if (target.byteSize() >= (long) indices.length * Long.BYTES) {
            MemorySegment.copy(MemorySegment.ofArray(indices), 0, target, 0, (long) indices.length * Long.BYTES);
        }
        return (long) indices.length;
    }

    static Object setEpoch(Request request) {
        request.object("handle", LoaderSource.class).end();
        loader(request).setEpoch(request.number("epoch"));
        return null;
    }

    static Object progress(Request request) {
        Loader loader = loader(request);
        return Map.of(
                "epoch",
                loader.epoch(),
                "steps",
                loader.stepCount(),
                "passSteps",
                loader.passStepCount(),
                "count",
                loader.recordCount());
    }

    static Object stats(Request request) {
        LoaderStats stats = loader(request).stats();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("batches", stats.batches());
        answer.put("rows", stats.rows());
        answer.put("bytes", stats.bytes());
        answer.put("skipped_rows", stats.skippedRows());
        answer.put("wait_seconds", stats.waitNanos() / 1e9);
        answer.put("gather_seconds", stats.gatherNanos() / 1e9);
        answer.put("queued", (long) stats.queuedCount());
        answer.put("held_bytes", stats.heldBytes());
        if (stats.remote() != null) {
            RemoteCounts remote = stats.remote();
            answer.put("requests", remote.requests());
            answer.put("received_bytes", remote.receivedBytes());
            answer.put("cache_hits", remote.hits());
            answer.put("cache_hit_bytes", remote.hitBytes());
            answer.put("cache_misses", remote.misses());
            answer.put("remote_wait_seconds", remote.waitNanos() / 1e9);
        }
        return answer;
    }
}
