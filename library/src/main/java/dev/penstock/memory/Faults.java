// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Turns the Java runtime's answer to an unreadable mapped page into an error that names the file.
///
/// The runtime raises an [InternalError] when a mapped page lies beyond the end of a file that was shortened, or when
/// the device fails to deliver it.
public final class Faults {
    private Faults() {}

    /// The error to throw instead.
    ///
    /// @param offset where in the file the access was, as far as is known
    /// @param size   the size of the file when it was mapped
    public static DatasetException.Corrupt translate(InternalError fault, Path path, long offset, long size) {
        try {
            long sizeNow = Files.size(path);
            if (sizeNow < size) {
                return new DatasetException.Corrupt(
                        path,
                        sizeNow,
                        Reason.TRUNCATED,
                        "the file was shortened from " + size + " to " + sizeNow + " bytes while it was open",
                        fault);
            }
        } catch (IOException e) {
            fault.addSuppressed(e);
        }
        return new DatasetException.Corrupt(
                path, offset, Reason.READ_FAULT, "a page of the file could not be read; see the system log", fault);
    }
}
