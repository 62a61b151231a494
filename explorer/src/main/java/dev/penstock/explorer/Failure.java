// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;

/// A failed request: the status of the answer, and the error object that the command line prints as well.
///
/// @param status the HTTP status
/// @param error  kind, reason, file, offset and message
record Failure(int status, Map<String, Object> error) {
    static Failure of(Throwable failure) {
        return switch (failure) {
            case DatasetException e ->
                new Failure(422, error("data", e.reason(), e.file(), e.offset(), e.getMessage()));
            case ClosedException e -> usage(410, e.getMessage());
            case CancellationException e -> usage(409, e.getMessage());
            case NoSuchFileException e -> {
                String what = e.getReason() == null ? "no such file or folder" : e.getReason();
                yield new Failure(404, error("disk", null, e.getFile(), null, e.getFile() + ": " + what));
            }
            case FileSystemException e -> new Failure(500, error("disk", null, e.getFile(), null, e.getMessage()));
            case IllegalArgumentException e -> usage(400, e.getMessage());
            case IndexOutOfBoundsException e -> usage(400, e.getMessage());
            case UncheckedIOException e -> of(e.getCause());
            case IOException e -> new Failure(500, error("disk", null, null, null, e.getMessage()));
            case OutOfMemoryError _ ->
                new Failure(
                        503, error("disk", "OUT_OF_MEMORY", null, null, "the server is out of memory; ask for less"));
            default -> new Failure(500, error("disk", null, null, null, "unexpected " + failure));
        };
    }

    static Failure usage(int status, String message) {
        return new Failure(status, error("usage", null, null, null, message));
    }

    Map<String, Object> json() {
        return Map.of("error", error);
    }

    private static Map<String, Object> error(String kind, Object reason, Object file, Object offset, String message) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("kind", kind);
        error.put("reason", reason);
        error.put("file", file);
        error.put("offset", offset);
        error.put("message", message);
        return error;
    }
}
