// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.penstock.file.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// Writes answers, each with the headers that keep it inert: it runs no code but ours, and no other site may embed
/// or read it.
///
/// @param exchange       the request to answer
/// @param frameAncestors the pages that may show the explorer in a frame, as in a Content-Security-Policy
record Reply(HttpExchange exchange, String frameAncestors) {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";

    void json(int status, Object value) throws IOException {
        bytes(status, JSON, (Json.text(value) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void text(int status, String text) throws IOException {
        bytes(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void bytes(int status, String type, byte[] body) throws IOException {
        begin(type);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, isHead || body.length == 0 ? -1 : body.length);
        if (!isHead && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    /// Begins an answer of unknown length: one JSON value in each line.
    OutputStream lines() throws IOException {
        begin("application/x-ndjson; charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    void redirect(String relative) throws IOException {
        begin(TEXT);
        exchange.getResponseHeaders().set("Location", relative);
        exchange.sendResponseHeaders(302, -1);
    }

    void begin(String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
                        + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                        + " require-trusted-types-for 'script';"
                        + " frame-ancestors " + frameAncestors);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
    }
}
