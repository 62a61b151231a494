// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.SamplerMaker;
import dev.penstock.plugin.SamplerOptions;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// Makes a sampler, which reads records for weights, lengths and conditions.
final class OrderRun implements Search {
    /// Some samplers keep a number for each record.
    private static final long LISTED_MAX = 8_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final OrderChoice choice;
    private volatile Sampler sampler;

    OrderRun(OrderChoice choice) {
        this.choice = choice;
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    /// The sampler, or null when there was not enough time.
    Sampler sampler() {
        return sampler;
    }

    /// A sampler is made as a whole, so a search that was stopped begins again.
    @Override
    public void search(Dataset dataset, Tracker tracker) throws IOException {
        if (sampler != null) {
            return;
        }
        SamplerOptions options = choice.options();
        boolean isListing = options.where.condition != null
                || options.kind == SamplerOptions.Kind.WEIGHTED
                || options.kind == SamplerOptions.Kind.BUCKET;
        if (isListing && dataset.count() > LISTED_MAX) {
            throw new IllegalArgumentException("this order needs a number in memory for each record, which the explorer"
                    + " does for at most " + LISTED_MAX + " records; penstock plan does it for any number");
        }
        try {
            sampler = new SamplerMaker(
                            options, dataset, choice.batchSize(), choice.ranks().worldSize(), tracker)
                    .make();
        } catch (Tracker.OutOfTime e) {
            // Without a sampler there is no result.
        }
    }

    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("finished", sampler != null);
        return json;
    }
}
