// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The answer of a server.
///
/// @param uri   the address of the answer, after redirections
/// @param body  the bytes, at most as many as were allowed
/// @param isCut whether the server would have sent more bytes
public record Answer(URI uri, int status, HttpHeaders headers, byte[] body, boolean isCut) {
    public static final int OK = 200;
    static final int PARTIAL = 206;
    static final int PRECONDITION_FAILED = 412;
    static final int RANGE_NOT_SATISFIABLE = 416;

    /// The first status of a request that failed.
    static final int ERRORS = 400;

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;

    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (?:(\\d{1,18})-\\d{1,18}|\\*)/(\\d{1,18})");

    /// A header, or an empty text.
    public String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    /// The offset of the bytes in the file, according to `Content-Range`; -1 when it does not say.
    long rangeOffset() {
        Matcher range = CONTENT_RANGE.matcher(header("Content-Range"));
        return range.matches() && range.group(1) != null ? Long.parseLong(range.group(1)) : -1;
    }

    /// The size of the file, according to `Content-Range`; -1 when it does not say.
    long rangeTotal() {
        Matcher range = CONTENT_RANGE.matcher(header("Content-Range"));
        return range.matches() ? Long.parseLong(range.group(2)) : -1;
    }

    /// The time that the server asks to wait before another attempt, in nanoseconds; 0 when it does not say.
    long retryAfterNanos(long secondsMax) {
        String seconds = header("Retry-After");
        return seconds.matches("\\d{1,9}")
                ? TimeUnit.SECONDS.toNanos(Math.min(secondsMax, Long.parseLong(seconds)))
                : 0;
    }

    public boolean isAbsent() {
        return status == NOT_FOUND || status == GONE;
    }

    public boolean isDenied() {
        return status == UNAUTHORIZED || status == FORBIDDEN;
    }

    /// Whether the server redirected to the name with a slash behind it, as servers do for folders.
    boolean isFolder() {
        return uri.getPath().endsWith("/");
    }
}
