// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.plugin.VerbPlugin;
import dev.penstock.plugin.VerbRequest;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Requests of Python: `serve` shows an open dataset, `stop` ends that.
public final class ExplorerVerbs implements VerbPlugin {
    /// Notebooks run on this machine, under any port, and show the explorer in a frame.
    private static final String NOTEBOOKS = "http://localhost:* http://127.0.0.1:*";

    private static final Map<Long, Running> RUNNING = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    private record Running(Shelf shelf, Explorer explorer) {}

    @Override
    public String name() {
        return "explorer";
    }

    @Override
    public Object answer(String verb, VerbRequest request) throws IOException {
        return switch (verb) {
            case "serve" -> serve(request);
            case "stop" -> stop(request);
            default -> throw new IllegalArgumentException("the explorer has no verb " + verb);
        };
    }

    private static Object serve(VerbRequest request) throws IOException {
        Shelf shelf = Shelf.of(request.dataset());
        Explorer.Options options = Explorer.Options.DEFAULT
                .withAddress(request.text("host"), Math.toIntExact(request.number("port")))
                .withFrameAncestors(NOTEBOOKS)
                .withReadOnly(!request.has("readOnly") || request.isTrue("readOnly"));
        Explorer explorer = Explorer.start(shelf, options);
        long number = LAST.incrementAndGet();
        RUNNING.put(number, new Running(shelf, explorer));
        return Map.of("server", number, "url", explorer.url().toString());
    }

    private static Object stop(VerbRequest request) {
        Running running = RUNNING.remove(request.number("server"));
        if (running != null) {
            running.explorer.close();
            running.shelf.close();
        }
        return running != null;
    }
}
