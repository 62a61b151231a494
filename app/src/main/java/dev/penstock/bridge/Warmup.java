// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.file.Json;
import java.nio.charset.StandardCharsets;

/// Loads the classes for the first batch on a separate thread, because most of the time until the first batch is
/// spent loading classes.
final class Warmup implements Runnable {
    /// The classes, in the order of their first use.
    private static final String[] CLASSES = {
        "dev.penstock.bridge.Requests",
        "dev.penstock.bridge.DatasetRequests",
        "dev.penstock.catalog.Catalog",
        "dev.penstock.table.TableReader",
        "dev.penstock.file.OpenFiles",
        "dev.penstock.table.DTypeParser",
        "dev.penstock.bridge.LoaderRequests",
        "dev.penstock.loader.PermutationSampler",
        "dev.penstock.loader.Loader",
        "dev.penstock.bridge.LoaderSource",
        "dev.penstock.loader.Pipeline",
        "dev.penstock.rows.RowGather",
        "dev.penstock.rows.kernel.RowCopy",
    };

    Warmup() {}

    /// Starts the thread, if the system can create one.
    static void start() {
        try {
            Thread.ofPlatform().daemon().name("penstock-warmup").start(new Warmup());
        } catch (OutOfMemoryError e) {
            // Without the thread, classes are loaded when they are first used.
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
