// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;

/// Decides who may ask: only somebody who knows the token, under a name of this machine, from a page of this
/// server.
///
/// The token is the first part of every path, so that all relative addresses of a page carry it and no cookie is
/// needed. The check of `Host` stops pages of other sites whose name was pointed at this machine; that of
/// `Origin` stops requests by scripts of other sites.
///
/// @param token random text
/// @param names the names under which the server may be reached, in lower case
record Gate(String token, Set<String> names) {
    private static final int TOKEN_BYTES = 24;
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /// A gate with a fresh token.
    ///
    /// @param host the name or address that the server listens on
    static Gate create(String host) {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String name = (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host).toLowerCase(Locale.ROOT);
        Set<String> names = LOOPBACK.contains(name) ? LOOPBACK : Set.of("localhost", "127.0.0.1", "[::1]", name);
        return new Gate(Base64.getUrlEncoder().withoutPadding().encodeToString(random), names);
    }

    /// The path of a request behind the token.
    ///
    /// @throws Refused when the request must not be answered
    String admit(HttpExchange exchange) throws Refused {
        Headers headers = exchange.getRequestHeaders();
        if (!METHODS.contains(exchange.getRequestMethod())) {
            throw new Refused(405, "the methods are GET, HEAD and POST");
        }
        String host = headers.getFirst("Host");
        if (host == null || !names.contains(nameOf(host))) {
            throw new Refused(421, "this server does not answer under the name " + host);
        }
        String origin = headers.getFirst("Origin");
        if (origin != null && !origin.equals("http://" + host)) {
            throw new Refused(403, "requests by pages of " + origin + " are not answered");
        }
        String path = exchange.getRequestURI().getPath();
        int end = path == null ? -1 : path.indexOf('/', 1);
        if (end < 0 || !isToken(path.substring(1, end))) {
            throw new Refused(403, "open the address that penstock serve printed, which has a secret token in it");
        }
        String behind = path.substring(end + 1);
        boolean hasBody = exchange.getRequestMethod().equals("POST") && behind.equals("flags");
        if (!hasBody && isLongerThanNothing(headers)) {
            throw new Refused(413, "requests have parameters and no body");
        }
        return behind;
    }

    /// The name without the port, which differs behind a tunnel.
    private static String nameOf(String host) {
        return host.replaceFirst(":\\d*$", "").toLowerCase(Locale.ROOT);
    }

    private static boolean isLongerThanNothing(Headers headers) {
        String length = headers.getFirst("Content-Length");
        return headers.containsKey("Transfer-Encoding")
                || length != null && !length.strip().equals("0");
    }

    /// Takes the same time for every wrong token of the same length.
    private boolean isToken(String text) {
        return MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }

    /// A request that must not be answered.
    static final class Refused extends Exception {
        private final int status;

        Refused(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }
}
