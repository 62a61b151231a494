// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AnswerTest {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final Answer answer = new Answer();

    private static String read(MemorySegment where, long size) {
        byte[] bytes = ALL.asSlice(where.get(ValueLayout.JAVA_LONG, 0), size).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private Map<?, ?> words(Throwable failure) {
        long code = answer.keepFailure(failure);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment where = arena.allocate(ValueLayout.JAVA_LONG);
            String text = read(where, answer.setFailureText(code, where.address()));
            return (Map<?, ?>) Json.parse(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void theLastEightAnswersStay() {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> places = new ArrayList<>();
            List<Long> sizes = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                places.add(arena.allocate(ValueLayout.JAVA_LONG));
                sizes.add(answer.set("ä€\0".repeat(i), places.getLast().address()));
            }
            for (int i = 0; i < 8; i++) {
                assertEquals("ä€\0".repeat(i), read(places.get(i), sizes.get(i)));
            }
        }
    }

    @Test
    void aFailureTellsItsKindsFromTheNarrowestToTheWidest() {
        assertEquals(
                List.of(
                        "NumberFormatException",
                        "IllegalArgumentException",
                        "RuntimeException",
                        "Exception",
                        "Throwable"),
                words(new NumberFormatException("x")).get("types"));
        assertEquals(
                "ClosedChannelException",
                ((List<?>) words(new ClosedChannelException()).get("types")).getFirst());
    }

    @Test
    void aFailureWithoutWordsHasThoseOfItsType() {
        assertEquals(
                "java.lang.NullPointerException",
                words(new NullPointerException()).get("message"));
    }

    @Test
    void theDisksErrorsComeUnwrapped() {
        Map<?, ?> words = words(new UncheckedIOException(new NoSuchFileException("/a/b")));
        assertEquals("NoSuchFileException", ((List<?>) words.get("types")).getFirst());
        assertEquals("/a/b", words.get("file"));
        assertNull(words.get("message"));
        words = words(new FileSystemException("/a/b", null, "No space left on device"));
        assertEquals("No space left on device", words.get("message"));
        assertEquals("IOException", ((List<?>) words(new IOException("broken")).get("types")).getFirst());
    }

    @Test
    void runningOutOfMemoryTwiceIsStillThat() {
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        IllegalArgumentException complaint =
                assertThrows(IllegalArgumentException.class, () -> full.addSuppressed(full));
        assertEquals("OutOfMemoryError", ((List<?>) words(complaint).get("types")).getFirst());
    }

    @Test
    void errorsOfBytesHaveFileOffsetAndReason() {
        Map<?, ?> words = words(new DatasetException.Corrupt(Path.of("/a/ä"), 17, Reason.TRUNCATED, "cut short"));
        assertEquals("Corrupt", ((List<?>) words.get("types")).getFirst());
        assertEquals(
                List.of("/a/ä", 17L, "TRUNCATED"),
                List.of(words.get("file"), words.get("offset"), words.get("reason")));
    }

    @Test
    void withoutAFailureThereIsNothingToTell() {
        assertThrows(NullPointerException.class, () -> answer.setFailureText(-2, 0));
    }
}
