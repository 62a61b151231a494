// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.pack.PackWriter;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
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
/// An exception that left one of these functions would end the process, so each catches everything and returns
/// [#FAILED]; [#failure] then has the words, for the thread that asks.
///
/// **Threads.** Any number.
public final class Bridge {
    /// What every function returns that failed.
    static final long FAILED = -1;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final Requests REQUESTS = new Requests();
    private static final ThreadLocal<Answer> ANSWER = ThreadLocal.withInitial(Answer::new);

    private Bridge() {}

    /// Makes the functions; called once, by the runtime's native interface.
    ///
    /// @return the address of their addresses, in the order of this list
    public static long start() {
        String[] names = {"call", "failure", "take", "takeRows", "next", "release"};
        int[] argumentCounts = {3, 1, 4, 5, 2, 1};
        MemorySegment table = Arena.global().allocate(WORD, names.length);
        for (int i = 0; i < names.length; i++) {
            table.setAtIndex(WORD, i, stub(names[i], argumentCounts[i]).address());
        }
        return table.address();
    }

    @SuppressWarnings("restricted")
    private static MemorySegment stub(String name, int argumentCount) {
        try {
            Class<?>[] types = Collections.nCopies(argumentCount, long.class).toArray(Class<?>[]::new);
            MethodHandle method =
                    MethodHandles.lookup().findStatic(Bridge.class, name, MethodType.methodType(long.class, types));
            MemoryLayout[] layouts = Collections.nCopies(argumentCount, WORD).toArray(MemoryLayout[]::new);
            return Linker.nativeLinker().upcallStub(method, FunctionDescriptor.of(WORD, layouts), Arena.global());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the function " + name + " is not there", e);
        }
    }

    private static long failed(Throwable failure) {
        ANSWER.get().setFailure(failure);
        return FAILED;
    }

    /// Does what a request says.
    ///
    /// @param request    the address of JSON in UTF-8
    /// @param answerAddress where the address of the answer goes, which stays until the thread's next call
    /// @return the size of the answer
    private static long call(long request, long requestSize, long answerAddress) {
        try {
            byte[] text = ALL.asSlice(request, requestSize).toArray(ValueLayout.JAVA_BYTE);
            return ANSWER.get().set(REQUESTS.answer(text), answerAddress);
        } catch (Throwable e) {
            return failed(e);
        }
    }

    /// Why the last function that failed in this thread did.
    private static long failure(long answerAddress) {
        try {
            return ANSWER.get().setFailureText(answerAddress);
        } catch (Throwable e) {
            return FAILED;
        }
    }

    /// Gathers records into a batch, which is the caller's until [#release].
    ///
    /// @param source a [Source]
    /// @param info   where [HeldBatch#describe] goes
    /// @return the batch
    private static long take(long source, long indices, long count, long info) {
        try {
            Source from = Handles.get(source, Source.class);
            HeldBatch held = from.batches().borrow();
            try {
                from.dataset().gather(ALL.asSlice(indices, Math.multiplyExact(count, WORD.byteSize())), held.batch());
                held.describe(ALL.asSlice(info));
                return held.lend();
            } catch (Throwable e) {
                held.close();
                throw e;
            }
        } catch (Throwable e) {
            return failed(e);
        }
    }

    /// Copies whole rows of a table, as they are stored, to memory of the caller.
    private static long takeRows(long source, long indices, long count, long target, long targetSize) {
        try {
            Dataset dataset = Handles.get(source, Source.class).dataset();
            if (!(dataset instanceof TableReader table)) {
                throw new IllegalArgumentException("only tables have rows that can be copied as they are stored");
            }
            table.read(
                    ALL.asSlice(indices, Math.multiplyExact(count, WORD.byteSize())), ALL.asSlice(target, targetSize));
            return 0;
        } catch (Throwable e) {
            return failed(e);
        }
    }

    /// The next batch of a loader, which is the caller's until [#release].
    ///
    /// @return the batch, or 0 at the end of the epoch
    private static long next(long loader, long info) {
        try {
            HeldBatch held = Handles.get(loader, LoaderSource.class).next();
            if (held == null) {
                return 0;
            }
            held.describe(ALL.asSlice(info));
            return held.lend();
        } catch (Throwable e) {
            return failed(e);
        }
    }

    /// Takes a batch back, or closes whatever else has this number.
    ///
    /// Garbage collectors call it at any moment, between another function of the same thread and the reading of
    /// its answer. So it leaves that answer alone, and a failure has no words.
    private static long release(long handle) {
        try {
            switch (Handles.remove(handle, Object.class)) {
                // A writer that nobody finished is given up, not published.
                case TableWriter writer -> writer.abort();
                case PackWriter writer -> writer.abort();
                case AutoCloseable object -> object.close();
                default -> {}
            }
            return 0;
        } catch (Throwable e) {
            return FAILED;
        }
    }
}
