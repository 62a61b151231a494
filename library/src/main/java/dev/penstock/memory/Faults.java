// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.util.List;

/// Turns the Java runtime's answer to an unreadable mapped page into an error that names the file.
///
/// The runtime raises an [InternalError] when a mapped page lies beyond the end of a file that was shortened,
/// or when the device fails to deliver it.
public final class Faults {
    /// Not final, so that the compiler cannot know what is called and has to make the call.
    private static MethodHandle nothing = MethodHandles.empty(MethodType.methodType(void.class));

    private Faults() {}

    /// Raises here the fault of a read of mapped memory that came before, if it had one.
    ///
    /// Optimised code notes a fault and goes on with undefined bytes; the runtime raises the error when the
    /// code next returns from a method that was not inlined. Without this call that is as a rule after the
    /// `catch` that was meant for it, in some caller. It calls a method that does nothing and cannot be
    /// inlined: 2 to 3 ns.
    public static void settle() {
        try {
            nothing.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("doing nothing declares no exception", e);
        }
    }

    /// The error to throw instead when it may have been any of these files: the one that is shorter now, if there
    /// is one.
    public static DatasetException translate(InternalError fault, List<OpenFile> files) {
        return files.stream()
                .map(file -> file.translate(fault))
                .filter(error -> error.reason() == Reason.TRUNCATED)
                .findFirst()
                .orElseGet(() -> files.getFirst().translate(fault));
    }

    /// The error to throw instead.
    ///
    /// @param offset where in the file the access was, as far as is known
    /// @param size   the size of the file when it was mapped
    public static DatasetException.Corrupt translate(InternalError fault, Location file, long offset, long size) {
        RowCopy.distrustVectors();
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
                file, offset, Reason.READ_FAULT, "a page of the file could not be read; see the system log", fault);
    }
}
