// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Io;
import dev.penstock.file.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Answers a request with the progress of a scan, a line several times a second, and its result in the last line.
///
/// Who closes the connection cancels the scan: the next line cannot be written then.
final class ProgressLines {
    private static final long LINE_MILLIS = 150;

    private ProgressLines() {}

    static void send(Reply reply, Workers workers, long budgetSeconds, Io.Function<Tracker, Object> work)
            throws IOException {
        Tracker tracker = new Tracker(budgetSeconds);
        Future<Object> scan = workers.scan(() -> {
            tracker.start();
            tracker.at(0, 0);
            return work.apply(tracker);
        });
        try (OutputStream out = reply.lines()) {
            Object result = null;
            while (result == null) {
                line(out, Map.of("progress", tracker.json()));
                result = resultIn(scan);
            }
            line(out, result);
        } finally {
            tracker.cancel();
        }
    }

    /// The last line, or null when the scan is not over yet.
    private static Object resultIn(Future<Object> scan) {
        try {
            return Map.of("result", scan.get(LINE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            return Failure.of(e.getCause()).json();
        } catch (InterruptedException | CancellationException e) {
            return Failure.of(new CancellationException("the server is stopping"))
                    .json();
        }
    }

    private static void line(OutputStream out, Object value) throws IOException {
        out.write((Json.text(value) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
