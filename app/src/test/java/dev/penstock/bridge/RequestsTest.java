// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.bridge.Calls.Failure;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every verb: what it answers, and what it says when it is asked for nonsense.
final class RequestsTest {
    private static final List<String> VERBS = List.of(
            "open",
            "choose",
            "fingerprint",
            "fullFingerprint",
            "name",
            "verify",
            "prepare",
            "where",
            "subset",
            "baseIndices",
            "concat",
            "zip",
            "places",
            "treeCount",
            "treeFingerprint",
            "treeVerify",
            "treeGet",
            "treeSort",
            "treeSortMore",
            "treeSortFinish",
            "treeChildren",
            "treeStats",
            "mixtureFile",
            "mixtureParts",
            "treeScan",
            "treeNext",
            "sampler",
            "draw",
            "position",
            "loader",
            "step",
            "state",
            "resume",
            "moveOn",
            "setEpoch",
            "progress",
            "stats",
            "tableWriter",
            "appendRows",
            "packWriter",
            "appendRecords",
            "finish");

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofConfined();
    private int handlesBefore;
    private long dataset;

    @BeforeEach
    void open() throws IOException {
        handlesBefore = Handles.count();
        dataset = Calls.make(
                "open", "path", BridgeTest.table(folder.resolve("t.npy")).toString());
    }

    @AfterEach
    void nothingIsLeft() {
        Calls.release(dataset);
        arena.close();
        assertEquals(handlesBefore, Handles.count());
    }

    private static Map<?, ?> map(Object answer) {
        return assertInstanceOf(Map.class, answer, () -> ((Failure) answer).message());
    }

    @Test
    void openingDescribes() {
        long number = Calls.number();
        String path = folder.resolve("t.npy").toString();
        Map<?, ?> answer = map(Calls.ask("open", "path", path, "io", "read", "as", number));
        assertEquals(
                List.of(1000L, "table", "'<i8'"),
                List.of(
                        answer.get("records"),
                        answer.get("format"),
                        map(answer.get("facts")).get("dtype")));
        Calls.release(number);
        Failure missing =
                (Failure) Calls.ask("open", "path", folder.resolve("no").toString());
        assertEquals("NoSuchFileException", missing.type());
        assertEquals(folder.resolve("no").toString(), missing.words().get("file"));
    }

    @Test
    void viewsAreDatasets() {
        MemorySegment indices = arena.allocateFrom(ValueLayout.JAVA_LONG, 5, 3);
        long subset = Calls.make(
                "subset", "handle", dataset, "indices", indices.address(), "indicesBytes", indices.byteSize());
        long where = Calls.make("where", "handle", dataset, "condition", "value == 15 or value == 9");
        long chosen = Calls.make("choose", "handle", dataset, "fields", List.of("value"));
        long concat = Calls.make("concat", "parts", List.of(subset, where));
        long zip = Calls.make("zip", "parts", List.of(subset, where), "names", List.of("a", "b"));
        MemorySegment info = Calls.info(arena, 2);
        long batch = Calls.take(zip, new long[] {0}, info);
        assertEquals(15, Calls.value(info, 0));
        MemorySegment base = arena.allocate(ValueLayout.JAVA_LONG, 2);
        Calls.ask("baseIndices", "handle", where, "target", base.address(), "targetBytes", base.byteSize());
        assertEquals(3, base.getAtIndex(ValueLayout.JAVA_LONG, 0));
        assertInstanceOf(
                Failure.class, Calls.ask("baseIndices", "handle", where, "target", base.address(), "targetBytes", 8L));
        assertEquals(32, Calls.ask("fingerprint", "handle", concat).toString().length());
        assertEquals(true, map(Calls.ask("verify", "handle", concat)).get("ok"));
        for (long handle : new long[] {batch, zip, concat, chosen, where, subset}) {
            assertEquals(0, Calls.release(handle));
        }
    }

    @Test
    void ordersDrawAndLoadersFollow() {
        long sampler = Calls.make("sampler", "kind", "permutation", "count", 1000L, "seed", 7L);
        MemorySegment drawn = arena.allocate(ValueLayout.JAVA_LONG, 3);
        Calls.ask(
                "draw", "handle", sampler, "epoch", 0L, "position", 10L, "target", drawn.address(), "targetBytes", 24L);
        long record = drawn.getAtIndex(ValueLayout.JAVA_LONG, 1);
        assertEquals(11L, Calls.ask("position", "handle", sampler, "epoch", 0L, "index", record));
        long loader = Calls.make("loader", "dataset", dataset, "batchSize", 10L, "sampler", sampler, "threads", 2L);
        MemorySegment info = Calls.info(arena, 1);
        long batch = Calls.make(
                "step",
                "handle",
                loader,
                "epoch",
                0L,
                "step",
                1L,
                "info",
                info.address(),
                "infoBytes",
                info.byteSize());
        assertEquals(3 * record, Calls.value(info, 1));
        assertEquals(100, Calls.invoke(8, loader));
        Calls.release(Calls.next(loader, info));
        Object state = Calls.ask("state", "handle", loader);
        Calls.ask("setEpoch", "handle", loader, "epoch", 3L);
        Calls.ask("resume", "handle", loader, "state", state);
        assertEquals(state, Calls.ask("state", "handle", loader));
        assertEquals(100L, map(Calls.ask("progress", "handle", loader)).get("steps"));
        assertTrue(map(Calls.ask("stats", "handle", loader)).containsKey("wait_seconds"));
        for (long handle : new long[] {batch, loader, sampler}) {
            assertEquals(0, Calls.release(handle));
        }
    }

    @Test
    void writersPublishWhenTheyAreFinishedAndOnlyWriters() {
        Path path = folder.resolve("new.npy");
        long writer = Calls.make("tableWriter", "path", path.toString(), "dtype", "'<i8'", "shape", List.of());
        MemorySegment rows = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3);
        Calls.ask("appendRows", "handle", writer, "rows", rows.address(), "rowsBytes", rows.byteSize(), "ticket", 1L);
        assertFalse(Files.exists(path));
        Calls.ask("finish", "handle", writer);
        assertTrue(Files.exists(path));
        assertNull(Calls.ask("finish", "handle", writer), "an interrupted caller may repeat it");
        Calls.release(writer);
        assertInstanceOf(Failure.class, Calls.ask("finish", "handle", dataset));
        assertInstanceOf(Map.class, Calls.ask("verify", "handle", dataset), "what is not a writer stays open");
    }

    @Test
    void packsTakeManyRecordsAtOnce() {
        Path path = folder.resolve("new.a2pack");
        long writer = Calls.make("packWriter", "path", path.toString(), "codec", "zstd", "level", 3L);
        MemorySegment values = arena.allocateFrom("hello");
        MemorySegment offsets = arena.allocateFrom(ValueLayout.JAVA_LONG, 0, 2, 5);
        Object[] request = {
            "handle",
            writer,
            "values",
            values.address(),
            "valuesBytes",
            5L,
            "offsets",
            offsets.address(),
            "offsetsBytes",
            offsets.byteSize(),
            "names",
            List.of("a", "b"),
            "ticket",
            1L
        };
        assertEquals(2L, Calls.ask("appendRecords", request));
        request[13] = 2L;
        request[11] = List.of("a");
        assertTrue(
                ((Failure) Calls.ask("appendRecords", request)).message().contains("1 names do not match 2 records"));
        request[11] = List.of(1L, 2L);
        assertTrue(((Failure) Calls.ask("appendRecords", request))
                .message()
                .contains("a list whose items are each a string"));
        request[11] = List.of("c", "d");
        offsets.setAtIndex(ValueLayout.JAVA_LONG, 2, 6);
        assertInstanceOf(Failure.class, Calls.ask("appendRecords", request), "offsets beyond the values");
        Calls.release(writer);
        assertFalse(Files.exists(path));
    }

    @Test
    void everyVerbSaysWhatItLacks() {
        for (String verb : VERBS) {
            Failure failure = assertInstanceOf(Failure.class, Calls.ask(verb), verb);
            assertEquals("WrongTypeException", failure.type(), verb + ": " + failure.message());
            assertTrue(failure.message().contains(" must be "), failure.message());
        }
        assertEquals("IllegalArgumentException", ((Failure) Calls.ask("fly")).type());
    }

    /// Numbers at their limits, where an object, a size or a count is expected.
    @Test
    void hostileNumbersAreFailuresInWords() {
        Set<String> mild = Set.of(
                "WrongTypeException",
                "IllegalArgumentException",
                "ClosedException",
                "IllegalStateException",
                "IndexOutOfBoundsException",
                "ArithmeticException",
                "NoSuchFileException");
        long[] numbers = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE};
        for (String verb : VERBS) {
            for (long number : numbers) {
                long made = Calls.number();
                Object answer = Calls.ask(
                        verb,
                        "as",
                        made,
                        "handle",
                        number,
                        "dataset",
                        number,
                        "batchSize",
                        number,
                        "kind",
                        "permutation",
                        "count",
                        number,
                        "seed",
                        number,
                        "path",
                        folder.resolve("hostile.npy").toString(),
                        "dtype",
                        "'<i8'",
                        "shape",
                        List.of(number),
                        "parts",
                        List.of(number),
                        "names",
                        List.of("a"),
                        "fields",
                        List.of());
                if (answer instanceof Failure failure) {
                    assertTrue(mild.contains(failure.type()), verb + " " + number + ": " + failure.words());
                } else {
                    assertEquals(0, Calls.release(made));
                }
            }
        }
    }

    @Test
    void numbersThatAreNoneAreRefused() {
        for (String number : List.of("1.5", "1e3", "\"1\"", "true", "null", "[]", "99999999999999999999", "NaN")) {
            byte[] json = ("{\"verb\":\"fingerprint\",\"handle\":" + number + "}").getBytes(StandardCharsets.UTF_8);
            Failure failure = assertInstanceOf(Failure.class, Calls.ask(json), number);
            assertTrue(
                    Set.of("IllegalArgumentException", "WrongTypeException").contains(failure.type()), failure.type());
        }
    }

    @Test
    void notesAreTexts() {
        Failure failure = (Failure) Calls.ask(
                "tableWriter",
                "path",
                folder.resolve("n").toString(),
                "dtype",
                "'<i8'",
                "shape",
                List.of(),
                "metadata",
                Map.of("by", 7L));
        assertEquals("WrongTypeException", failure.type());
    }
}
