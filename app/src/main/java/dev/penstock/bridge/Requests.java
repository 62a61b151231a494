// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.memory.Json;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/// What can be asked for, by verbs.
final class Requests {
    /// One of them.
    @FunctionalInterface
    interface Verb {
        /// @return what JSON can hold
        Object answer(Request request) throws IOException;
    }

    private final Map<String, Verb> verbs = new HashMap<>();

    Requests() {
        // The first look at the environment takes the process's handler for SIGCHLD away. It comes while the runtime
        // starts, for the other language puts its handlers back after that.
        System.getenv();
        verbs.put("handles", request -> (long) Handles.count());
        DatasetRequests.addTo(verbs);
        LoaderRequests.addTo(verbs);
        WriterRequests.addTo(verbs);
    }

    String answer(byte[] json) throws IOException {
        Request request = Request.parse(json);
        Verb verb = verbs.get(request.verb());
        if (verb == null) {
            throw new IllegalArgumentException("nobody knows how to " + request.verb());
        }
        Object answer = verb.answer(request);
        return Json.text(answer);
    }
}
