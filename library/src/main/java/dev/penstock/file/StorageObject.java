// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;

/// Reads an object of a storage by position, with one request for each read. If a request fails, the exception
/// names the object and the range.
record StorageObject(Storage storage, Location object, long size) implements Disk.Readable {
    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        try {
            return storage.read(object, offset, target);
        } catch (IOException e) {
            throw failed(where(object, offset, target), e);
        }
    }

    /// The name of a range in messages.
    static String where(Location object, long offset, MemorySegment target) {
        return object + ": bytes " + offset + " to " + (offset + target.byteSize() - 1);
    }

    private static IOException failed(String where, IOException cause) {
        if (cause instanceof ClosedByInterruptException
                || cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException)) {
            IOException interrupted = new InterruptedIOException(where + ": the request was interrupted");
            interrupted.initCause(cause);
            return interrupted;
        }
        return new IOException(where + " could not be read: " + reason(cause), cause);
    }

    /// The cause of a failure in words.
    static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "the object does not exist any more";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {}
}
