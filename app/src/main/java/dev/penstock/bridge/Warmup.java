// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.memory.Json;
import java.nio.charset.StandardCharsets;

/// Loads what the first batch will need, in a thread of its own: most of the time until then goes into loading
/// classes, and there is more than one core.
final class Warmup implements Runnable {
    /// In the order of their first use.
    private static final String[] CLASSES = {
        "dev.penstock.bridge.Requests",
        "dev.penstock.bridge.DatasetRequests",
        "dev.penstock.catalog.Catalog",
        "dev.penstock.table.TableReader",
        "dev.penstock.memory.OpenFiles",
        "dev.penstock.table.DTypeParser",
        "dev.penstock.bridge.LoaderRequests",
        "dev.penstock.loader.PermutationSampler",
        "dev.penstock.loader.Loader",
        "dev.penstock.bridge.LoaderSource",
        "dev.penstock.loader.Pipeline",
        "dev.penstock.rows.RowGather",
        "dev.penstock.memory.RowCopy",
    };

    Warmup() {}

    /// Begins, where the system has a thread to spare.
    static void start() {
        try {
            Thread.ofPlatform().daemon().name("penstock-warmup").start(new Warmup());
        } catch (OutOfMemoryError e) {
            // Everything is loaded when it is needed, a little later.
            return;
        }
    }

    @Override
    public void run() {
        Json.text(Json.parse("{}".getBytes(StandardCharsets.UTF_8)));
        for (String name : CLASSES) {
            try {
                Class.forName(name);
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
    }
}
