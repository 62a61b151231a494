// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.StoredRows;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;

/// The functions that Python calls, as the address of native code.
///
/// Rare calls go through [#call]: a request and an answer in JSON. Calls for every batch have functions of their
/// own, with numbers and addresses as arguments.
///
/// An exception that left one of these functions would end the process. Therefore all exceptions are caught and a
/// negative number is returned; [#failure] then returns the message to the thread that asks.
///
/// **Threads.** Safe for any number of threads.
public final class Bridge {
    /// The result of a function that failed without a message. Other negative numbers identify a message for
    /// [#failure].
    static final long FAILED = -1;

    /// The version of the interface between this class and Python: functions, requests and memory
    /// layouts. It changes with each of them, so that parts of two releases are not combined by mistake.
    static final long VERSION = 5;

    /// The time that a call waits for a batch. Then Python can check its signals, such as Ctrl-C.
    private static final long WAIT_MILLIS = 50;

    /// The number of arguments of [#invoke].
    private static final int ARGUMENT_COUNT = 6;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final long[] NO_SHAPE = {};
    private static final ThreadLocal<Answer> ANSWER = ThreadLocal.withInitial(Answer::new);

    private Bridge() {}

    /// Creates a native function for [#invoke]. It is called once, through the runtime's native interface.
    ///
    /// There is one native function for all calls, because each further one would add to the start time of a
    /// process.
    ///
    /// @return the address of the native function
    @SuppressWarnings("restricted")
    public static long start() {
        // The first access to the environment replaces the process's handler for SIGCHLD. It is done here, because
        // Python restores its handlers after the start.
        System.getenv();
        Warmup.start();
        Class<?>[] types = Collections.nCopies(ARGUMENT_COUNT, long.class).toArray(Class<?>[]::new);
        MemoryLayout[] layouts = Collections.nCopies(ARGUMENT_COUNT, WORD).toArray(MemoryLayout[]::new);
        try {
            MethodHandle invoke =
                    MethodHandles.lookup().findStatic(Bridge.class, "invoke", MethodType.methodType(long.class, types));
            return Linker.nativeLinker()
                    .upcallStub(invoke, FunctionDescriptor.of(WORD, layouts), Arena.global())
                    .address();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the method invoke does not exist", e);
        }
    }

    /// Calls a function by its number. Unused arguments are ignored.
    private static long invoke(long function, long a, long b, long c, long d, long e) {
        try {
            return switch (Math.toIntExact(function)) {
                case 0 -> call(a, b, c);
                case 1 -> failure(a, b);
                case 2 -> take(a, b, c, d, e);
                case 3 -> takeRows(a, b, c, d, e);
                case 4 -> next(a, b, c, d);
                case 5 -> release(a);
                case 6 -> fill(a, b, c);
                case 7 -> VERSION;
                case 8 -> Handles.get(a, LoaderSource.class).begin();
                case 9 -> SizeText.write(words(a, b + 1), b, ALL.asSlice(c, d));
                default -> throw new IllegalArgumentException("unknown function number " + function);
            };
        } catch (Throwable thrown) {
            return failed(thrown);
        }
    }

    private static long failed(Throwable failure) {
        try {
            return ANSWER.get().keepFailure(failure);
        } catch (OutOfMemoryError e) {
            return FAILED;
        }
    }

    /// Executes a request.
    ///
    /// @param request    the address of a JSON text in UTF-8
    /// @param answerAddress receives the address of the answer, which is valid for some more calls of the thread
    /// @return the size of the answer
    private static long call(long request, long requestSize, long answerAddress) throws IOException {
        byte[] text = ALL.asSlice(request, requestSize).toArray(ValueLayout.JAVA_BYTE);
        return ANSWER.get().set(Requests.answer(text), answerAddress);
    }

    /// Returns the message of a function that failed in this thread.
    ///
    /// @param failure the number that the function returned
    private static long failure(long failure, long answerAddress) {
        try {
            return ANSWER.get().setFailureText(failure, answerAddress);
        } catch (Throwable e) {
            return FAILED;
        }
    }

    private static MemorySegment words(long address, long count) {
        return ALL.asSlice(address, Math.multiplyExact(count, WORD.byteSize()));
    }

    /// Gathers records into a batch, which belongs to the caller until [#release].
    ///
    /// @param batch  the number that the batch gets
    /// @param source the number of a [Source]
    /// @param info   receives the output of [HeldBatch#describe]
    private static long take(long batch, long source, long indices, long count, long info) throws IOException {
        Source from = Handles.get(source, Source.class);
        HeldBatch held = from.batches().borrow();
        try {
            from.dataset().gather(words(indices, count), held.batch());
        } catch (Throwable e) {
            held.close();
            throw e;
        }
        handOver(held, batch, info);
        return 0;
    }

    /// Registers a batch and describes its memory. If that fails, the batch is returned to its pool.
    private static void handOver(HeldBatch held, long batch, long info) {
        try {
            held.describe(ALL.asSlice(info));
            held.lend(batch);
        } catch (Throwable e) {
            held.close();
            throw e;
        }
    }

    /// Copies whole rows of a table in their stored form to memory of the caller.
    private static long takeRows(long source, long indices, long count, long target, long targetSize)
            throws IOException {
        if (!(Handles.get(source, Source.class).dataset() instanceof StoredRows rows)) {
            throw new IllegalArgumentException("only tables have stored rows that can be copied");
        }
        rows.read(words(indices, count), ALL.asSlice(target, targetSize));
        return 0;
    }

    /// [#takeRows] for NumPy arrays of indices and rows. Python has checked their types.
    ///
    /// @param indices the address of an [ArrayObject]
    /// @param target  the address of an [ArrayObject]
    /// @return 0, or 1 when the arrays do not have the expected layout
    private static long fill(long source, long indices, long target) throws IOException {
        Source from = Handles.get(source, Source.class);
        long count = ArrayObject.count(indices, NO_SHAPE);
        if (count < 0
                || !(from.dataset() instanceof StoredRows rows)
                || ArrayObject.count(target, from.rowShape()) != count
                || !ArrayObject.has(indices, ArrayObject.IS_CONTIGUOUS | ArrayObject.IS_ALIGNED)
                || !ArrayObject.has(target, ArrayObject.IS_CONTIGUOUS | ArrayObject.IS_WRITEABLE)) {
            return 1;
        }
        rows.read(
                words(ArrayObject.data(indices), count),
                ALL.asSlice(ArrayObject.data(target), Math.multiplyExact(count, from.rowSize())));
        return 0;
    }

    /// Returns the next batch of a loader, which belongs to the caller until [#release].
    ///
    /// @param batch    the number that the batch gets
    /// @param released the number of an object to release first, or 0. A loop releases one batch for each that it
    ///                 takes, and one call for both costs less than two
    /// @return 1, or 0 at the end of the epoch, or 2 when no batch is ready yet and the caller should call again
    private static long next(long batch, long loader, long info, long released) {
        if (released != 0) {
            release(released);
        }
        LoaderSource source = Handles.get(loader, LoaderSource.class);
        if (!source.awaitNext(WAIT_MILLIS)) {
            return 2;
        }
        HeldBatch held = source.next();
        if (held == null) {
            return 0;
        }
        handOver(held, batch, info);
        return 1;
    }

    /// Returns a batch to its pool, or closes any other object with this number.
    ///
    /// Garbage collectors call it at any time, also between another function of the same thread and the reading of
    /// its answer. Therefore it does not change that answer, and its failures have no message.
    private static long release(long handle) {
        try {
            Handles.dispose(Handles.remove(handle, Object.class));
            return 0;
        } catch (Throwable e) {
            return FAILED;
        }
    }
}
