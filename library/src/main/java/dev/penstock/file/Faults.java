// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Translates the Java runtime's error for an unreadable mapped page into an exception that names the file.
///
/// The runtime throws an [InternalError] when a mapped page lies beyond the end of a shortened file, or when the
/// device cannot read it.
public final class Faults {
    /// Not final, so that the compiler cannot inline the call and drop it.
    private static MethodHandle nothing = MethodHandles.empty(MethodType.methodType(void.class));

    private static final List<Runnable> LISTENERS = new CopyOnWriteArrayList<>();

    private Faults() {}

    /// Adds what is to happen after every fault. It cannot be removed.
    public static void onFault(Runnable listener) {
        LISTENERS.add(listener);
    }

    /// Raises the fault of an earlier read of mapped memory here, if there was one.
    ///
    /// Optimised code records a fault and continues with undefined bytes. The runtime throws the error when the
    /// code next returns from a method that was not inlined, which is usually outside the `catch` that was meant
    /// for it. This method calls an empty method that cannot be inlined, which takes 2 to 3 ns.
    public static void settle() {
        try {
            nothing.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("doing nothing declares no exception", e);
        }
    }

    /// Returns the exception to throw when any of these files may be the cause: it names the file that is now
    /// shorter, if there is one.
    public static DatasetException translate(InternalError fault, List<OpenFile> files) {
        return files.stream()
                .map(file -> file.translate(fault))
                .filter(error -> error.reason().equals(Reason.TRUNCATED))
                .findFirst()
                .orElseGet(() -> files.getFirst().translate(fault));
    }

    /// Returns the exception to throw instead of a fault.
    ///
    /// @param offset the position of the access in the file, as far as it is known
    /// @param size   the size of the file when it was mapped
    public static DatasetException.Corrupt translate(InternalError fault, Location file, long offset, long size) {
        LISTENERS.forEach(Runnable::run);
        try {
            long sizeNow = Files.size(file.path());
            if (sizeNow < size) {
                return new DatasetException.Corrupt(
                        file,
                        sizeNow,
                        Reason.TRUNCATED,
                        "the file was shortened from " + size + " to " + sizeNow + " bytes while it was open",
                        fault);
            }
        } catch (IOException | UnsupportedOperationException e) {
            fault.addSuppressed(e);
        }
        return new DatasetException.Corrupt(
                file,
                offset,
                Reason.READ_FAULT,
                "a page of the file could not be read: the disk may be failing, see the system log",
                fault);
    }
}
