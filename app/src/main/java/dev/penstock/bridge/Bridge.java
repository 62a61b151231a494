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

/// The functions that another language calls, as addresses of native code.
///
/// What is rare goes through [#call]: a request and an answer in JSON. What happens with every batch has a
/// function of its own, with numbers and addresses.
///
/// An exception that left one of these functions would end the process, so everything is caught and a negative
/// number returned; [#failure] then has the words, for the thread that asks.
///
/// **Threads.** Any number.
public final class Bridge {
    /// What a function returns that failed and has no words for it. Other negative numbers stand for the words
    /// that [#failure] has.
    static final long FAILED = -1;

    /// Of [#invoke].
    private static final int ARGUMENT_COUNT = 6;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final long[] NO_SHAPE = {};
    private static final ThreadLocal<Answer> ANSWER = ThreadLocal.withInitial(Answer::new);

    private Bridge() {}

    /// Makes [#invoke] callable; called once, by the runtime's native interface.
    ///
    /// There is one native function and not one for each, because each would add to the time that a process takes
    /// to start.
    ///
    /// @return its address
    @SuppressWarnings("restricted")
    public static long start() {
        // The first look at the environment takes the process's handler for SIGCHLD away. It comes here, for the
        // other language puts its handlers back after the start.
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
            throw new AssertionError("the function is not there", e);
        }
    }

    /// Calls a function by its number. Arguments that it does not have may be anything.
    private static long invoke(long function, long a, long b, long c, long d, long e) {
        try {
            return switch (Math.toIntExact(function)) {
                case 0 -> call(a, b, c);
                case 1 -> failure(a, b);
                case 2 -> take(a, b, c, d, e);
                case 3 -> takeRows(a, b, c, d, e);
                case 4 -> next(a, b, c);
                case 5 -> release(a);
                case 6 -> fill(a, b, c);
                default -> throw new IllegalArgumentException("there is no function " + function);
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

    /// Does what a request says.
    ///
    /// @param request    the address of JSON in UTF-8
    /// @param answerAddress where the address of the answer goes, which stays for some more calls of the thread
    /// @return the size of the answer
    private static long call(long request, long requestSize, long answerAddress) throws IOException {
        byte[] text = ALL.asSlice(request, requestSize).toArray(ValueLayout.JAVA_BYTE);
        return ANSWER.get().set(Requests.answer(text), answerAddress);
    }

    /// Why a function that was called in this thread failed.
    ///
    /// @param failure what it returned
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

    /// Gathers records into a batch, which is the caller's until [#release].
    ///
    /// @param batch  the number that the batch gets
    /// @param source a [Source]
    /// @param info   where [HeldBatch#describe] goes
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

    /// Makes a batch known, and says where everything is; it is given back when that cannot be.
    private static void handOver(HeldBatch held, long batch, long info) {
        try {
            held.describe(ALL.asSlice(info));
            held.lend(batch);
        } catch (Throwable e) {
            held.close();
            throw e;
        }
    }

    /// Copies whole rows of a table, as they are stored, to memory of the caller.
    private static long takeRows(long source, long indices, long count, long target, long targetSize)
            throws IOException {
        if (!(Handles.get(source, Source.class).dataset() instanceof StoredRows rows)) {
            throw new IllegalArgumentException("only tables have rows that can be copied as they are stored");
        }
        rows.read(words(indices, count), ALL.asSlice(target, targetSize));
        return 0;
    }

    /// [#takeRows] for arrays of whole numbers and of rows, seen to be so by their types.
    ///
    /// @param indices an [ArrayObject]
    /// @param target  an [ArrayObject]
    /// @return 0, or 1 when they are not laid out as plainly as that
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

    /// The next batch of a loader, which is the caller's until [#release].
    ///
    /// @param batch the number that the batch gets
    /// @return 1, or 0 at the end of the epoch
    private static long next(long batch, long loader, long info) {
        HeldBatch held = Handles.get(loader, LoaderSource.class).next();
        if (held == null) {
            return 0;
        }
        handOver(held, batch, info);
        return 1;
    }

    /// Takes a batch back, or closes whatever else has this number.
    ///
    /// Garbage collectors call it at any moment, between another function of the same thread and the reading of
    /// its answer. So it leaves that answer alone, and a failure has no words.
    private static long release(long handle) {
        try {
            Handles.dispose(Handles.remove(handle, Object.class));
            return 0;
        } catch (Throwable e) {
            return FAILED;
        }
    }
}
