// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.file.Json;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// The functions of the bridge, called as Python calls them: by address and number.
///
/// **Threads.** Any number.
final class Calls {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int ARGUMENT_COUNT = 6;

    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final ThreadLocal<Long> LAST_FAILURE = new ThreadLocal<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final MethodHandle INVOKE = handle();

    private Calls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle handle() {
        MemoryLayout[] words = Collections.nCopies(ARGUMENT_COUNT, WORD).toArray(MemoryLayout[]::new);
        return Linker.nativeLinker()
                .downcallHandle(MemorySegment.ofAddress(Bridge.start()), FunctionDescriptor.of(WORD, words));
    }

    /// Arguments that are not given are anything but nothing.
    static long invoke(long function, long... arguments) {
        Object[] all = new Object[ARGUMENT_COUNT];
        Arrays.fill(all, -7L);
        all[0] = function;
        for (int i = 0; i < arguments.length; i++) {
            all[i + 1] = arguments[i];
        }
        try {
            long result = (long) INVOKE.invokeWithArguments(all);
            if (result >= 0) {
                return result;
            }
            if (result != Bridge.FAILED) {
                LAST_FAILURE.set(result);
            }
            return Bridge.FAILED;
        } catch (Throwable e) {
            throw new AssertionError("a native function threw", e);
        }
    }

    /// The answer to a request, or the text of [#failure].
    static Object ask(byte[] json) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocateFrom(ValueLayout.JAVA_BYTE, json);
            MemorySegment where = arena.allocate(WORD);
            long size = invoke(0, request.address(), (long) json.length, where.address());
            return size < 0 ? failure() : Json.parse(text(where, size).getBytes(StandardCharsets.UTF_8));
        }
    }

    /// [#ask], with names and values in turn.
    static Object ask(String verb, Object... arguments) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("verb", verb);
        for (int i = 0; i < arguments.length; i += 2) {
            request.put((String) arguments[i], arguments[i + 1]);
        }
        return ask(Json.text(request).getBytes(StandardCharsets.UTF_8));
    }

    /// A number that nothing has.
    static long number() {
        return NUMBERS.incrementAndGet();
    }

    /// The number of what a request made.
    static long make(String verb, Object... arguments) {
        long number = number();
        Object[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "as";
        all[arguments.length + 1] = number;
        if (ask(verb, all) instanceof Failure failure) {
            throw new AssertionError(failure.message());
        }
        return number;
    }

    /// Why the last call of this thread failed.
    static Failure failure() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment where = arena.allocate(WORD);
            long size = invoke(1, LAST_FAILURE.get(), where.address());
            return new Failure((Map<?, ?>) Json.parse(text(where, size).getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static String text(MemorySegment where, long size) {
        byte[] bytes = ALL.asSlice(where.get(WORD, 0), size).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static long take(long source, long[] indices, MemorySegment info) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(WORD, indices);
            long batch = number();
            long status = invoke(2, batch, source, memory.address(), indices.length, info.address());
            return status < 0 ? status : batch;
        }
    }

    static long takeRows(long source, long[] indices, MemorySegment target) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(WORD, indices);
            return invoke(3, source, memory.address(), (long) indices.length, target.address(), target.byteSize());
        }
    }

    /// The next batch of a loader. A call waits briefly and answers 2 when no batch is ready yet, as on a busy
    /// machine; Python then calls again.
    static long next(long loader, MemorySegment info) {
        long batch = number();
        long status = 2;
        while (status == 2) {
            status = invoke(4, batch, loader, info.address());
        }
        return status < 1 ? status : batch;
    }

    static long release(long handle) {
        return invoke(5, handle);
    }

    /// A value of the first column of a batch that was described.
    static long value(MemorySegment info, long row) {
        return ALL.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, row + info.getAtIndex(WORD, HeldBatch.HEAD_COUNT) / 8);
    }

    /// Room for the description of a batch.
    static MemorySegment info(Arena arena, int columnCount) {
        return arena.allocate(WORD, HeldBatch.HEAD_COUNT + (long) HeldBatch.COLUMN_COUNT * columnCount);
    }

    /// The failure as Python receives it.
    record Failure(Map<?, ?> words) {
        String type() {
            return ((List<?>) words.get("types")).getFirst().toString();
        }

        String message() {
            return String.valueOf(words.get("message"));
        }
    }
}
