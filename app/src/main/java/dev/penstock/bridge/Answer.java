// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.loader.LoaderException;
import dev.penstock.memory.Json;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a thread is told, in memory that stays until it asks for something else.
final class Answer {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final Buffer buffer = new Buffer();
    private Throwable failure;

    /// Keeps a text, and says where it is.
    ///
    /// @return its size
    long set(String text, long answerAddress) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        MemorySegment memory = buffer.reserve(bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        ALL.set(ValueLayout.JAVA_LONG, answerAddress, memory.address());
        return bytes.length;
    }

    void setFailure(Throwable failure) {
        this.failure = failure;
    }

    /// [#set] of what went wrong, as JSON.
    long setFailureText(long answerAddress) {
        return set(Json.text(describe(failure)), answerAddress);
    }

    private static Map<String, Object> describe(Throwable failure) {
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("type", failure.getClass().getSimpleName());
        words.put("message", message(failure));
        if (failure instanceof DatasetException bad) {
            words.put("kind", "data");
            words.put("file", bad.file().toString());
            words.put("offset", bad.offset());
            words.put("reason", bad.reason().toString());
        }
        if (failure instanceof LoaderException e) {
            words.put("record", e.recordIndex());
            words.put("step", e.step());
            words.put("cause", describe(e.getCause()));
        }
        return words;
    }

    private static String message(Throwable failure) {
        return switch (failure) {
            case NoSuchFileException e -> e.getFile() + ": no such file or folder";
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }
}
