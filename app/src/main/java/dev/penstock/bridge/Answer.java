// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.DatasetException;
import dev.penstock.file.Json;
import dev.penstock.loader.LoaderException;
import dev.penstock.store.StoreLostException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The answers and failures of one thread. Their memory stays valid for a few more calls of the thread.
final class Answer {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /// The number of answers and failures that are kept. A signal handler may make a call between an answer or
    /// failure and the moment it is read; this is the deepest supported nesting. It is a power of two.
    private static final int KEPT_COUNT = 8;

    /// The number of the first kept failure; the others follow downwards. Larger negative numbers are failures
    /// without a message.
    private static final long FIRST_FAILURE = -2;

    /// Freed by the garbage collector, so that threads that end leave nothing behind.
    private final MemorySegment[] texts = new MemorySegment[KEPT_COUNT];

    private final Throwable[] failures = new Throwable[KEPT_COUNT];
    private int nextText;
    private int nextFailure;

    /// Stores a text, and writes its address to `answerAddress`.
    ///
    /// @return the size of the text
    long set(String text, long answerAddress) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        texts[nextText++ & KEPT_COUNT - 1] = memory;
        ALL.set(ValueLayout.JAVA_LONG, answerAddress, memory.address());
        return bytes.length;
    }

    /// Stores a failure.
    ///
    /// @return the number of the failure, which is negative
    long keepFailure(Throwable failure) {
        int place = nextFailure++ & KEPT_COUNT - 1;
        failures[place] = failure;
        return FIRST_FAILURE - place;
    }

    /// Stores the description of a failure as JSON, like [#set].
    long setFailureText(long failure, long answerAddress) {
        return set(Json.text(describe(failures[Math.toIntExact(FIRST_FAILURE - failure)])), answerAddress);
    }

    private static Map<String, Object> describe(Throwable thrown) {
        Throwable failure = unwrapped(thrown);
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("types", kinds(failure));
        words.put("message", failure.getMessage() == null ? failure.toString() : failure.getMessage());
        if (failure instanceof DatasetException bad) {
            words.put("file", bad.file().toString());
            words.put("offset", bad.offset());
            words.put("reason", bad.reason().toString());
        }
        if (failure instanceof FileSystemException bad) {
            words.put("file", bad.getFile());
            words.put("message", bad.getReason());
        }
        if (failure instanceof StoreLostException lost) {
            words.put("firstLostIndex", lost.firstLostIndex());
        }
        if (failure instanceof LoaderException e) {
            words.put("record", e.recordIndex());
            words.put("step", e.step());
            words.put("cause", describe(e.getCause()));
        }
        return words;
    }

    /// Removes an exception that only wraps an out-of-memory error. The runtime reuses a single
    /// [OutOfMemoryError]; if it is thrown again while something is closed, it arrives as the cause of an
    /// [IllegalArgumentException].
    private static Throwable unwrapped(Throwable thrown) {
        if (thrown instanceof IllegalArgumentException && thrown.getCause() instanceof OutOfMemoryError cause) {
            return cause;
        }
        return thrown instanceof UncheckedIOException ? thrown.getCause() : thrown;
    }

    /// The names of the exception's classes, from the most specific to the most general. Python uses
    /// the first that it knows.
    private static List<String> kinds(Throwable failure) {
        List<String> names = new ArrayList<>();
        for (Class<?> kind = failure.getClass(); kind != Object.class; kind = kind.getSuperclass()) {
            names.add(kind.getSimpleName());
        }
        return names;
    }
}
