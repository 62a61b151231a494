// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.DatasetException;
import dev.penstock.loader.LoaderException;
import dev.penstock.memory.Json;
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

/// What a thread is told, in memory that stays until it has asked a few more times.
final class Answer {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /// A handler of signals may ask for something between an answer, or a failure, and its being read; more than
    /// so many do not interrupt each other. A power of two.
    private static final int KEPT_COUNT = 8;

    /// What the first of the kept failures is known by; larger ones are no failures with words.
    private static final long FIRST_FAILURE = -2;

    /// The garbage collector frees them, so that threads that end leave nothing behind.
    private final MemorySegment[] texts = new MemorySegment[KEPT_COUNT];

    private final Throwable[] failures = new Throwable[KEPT_COUNT];
    private int nextText;
    private int nextFailure;

    /// Keeps a text, and says where it is.
    ///
    /// @return its size
    long set(String text, long answerAddress) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        texts[nextText++ & KEPT_COUNT - 1] = memory;
        ALL.set(ValueLayout.JAVA_LONG, answerAddress, memory.address());
        return bytes.length;
    }

    /// Keeps a failure.
    ///
    /// @return what it is known by, which is negative
    long keepFailure(Throwable failure) {
        int place = nextFailure++ & KEPT_COUNT - 1;
        failures[place] = failure;
        return FIRST_FAILURE - place;
    }

    /// [#set] of what went wrong, as JSON.
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
        if (failure instanceof LoaderException e) {
            words.put("record", e.recordIndex());
            words.put("step", e.step());
            words.put("cause", describe(e.getCause()));
        }
        return words;
    }

    /// Without what says nothing. The runtime has one object for running out of memory; thrown again while
    /// something is closed, it arrives as the cause of a complaint about that.
    private static Throwable unwrapped(Throwable thrown) {
        if (thrown instanceof IllegalArgumentException && thrown.getCause() instanceof OutOfMemoryError cause) {
            return cause;
        }
        return thrown instanceof UncheckedIOException ? thrown.getCause() : thrown;
    }

    /// What it is, from the narrowest kind to the widest: the other language takes the first that it knows.
    private static List<String> kinds(Throwable failure) {
        List<String> names = new ArrayList<>();
        for (Class<?> kind = failure.getClass(); kind != Object.class; kind = kind.getSuperclass()) {
            names.add(kind.getSimpleName());
        }
        return names;
    }
}
