// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Standard output of the process, below a [java.io.PrintStream].
///
/// A `PrintStream` swallows every [IOException], so a command would continue to compute output that cannot be
/// written. The first failed write therefore throws an unchecked exception, which ends the command. Later writes
/// come from cleanup code and are ignored.
final class StandardOutput extends OutputStream {
    /// The error number of a broken pipe, which is the same on Linux, macOS and the BSDs.
    private static final int EPIPE = 32;

    /// Longer than any message of the system.
    private static final long MESSAGE_SIZE_MAX = 1024;

    /// The program that reads our output has ended or closed the pipe, as in `penstock export | head`.
    static final class ReaderGone extends RuntimeException {
        ReaderGone(IOException cause) {
            super("the reader of standard output has closed it", cause);
        }
    }

    private final OutputStream stream;
    private boolean hasFailed;

    StandardOutput(OutputStream stream) {
        this.stream = stream;
    }

    /// The standard output of this process.
    static StandardOutput ofProcess() {
        return new StandardOutput(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int length) {
        if (hasFailed) {
            return;
        }
        try {
            stream.write(bytes, start, length);
        } catch (IOException e) {
            hasFailed = true;
            if (isBrokenPipe(e)) {
                throw new ReaderGone(e);
            }
            throw new UncheckedIOException(new IOException("cannot write to standard output: " + e.getMessage(), e));
        }
    }

    /// Java has no exception type for a broken pipe. Its message is that of the system, which depends on the
    /// locale, so it is compared with the system's message for this error.
    private static boolean isBrokenPipe(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.equals("Broken pipe") || message.equals(systemMessage(EPIPE));
    }

    @SuppressWarnings("restricted")
    private static String systemMessage(int errorNumber) {
        try {
            Linker linker = Linker.nativeLinker();
            MethodHandle strerror = linker.downcallHandle(
                    linker.defaultLookup().find("strerror").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
            MemorySegment message = (MemorySegment) strerror.invokeExact(errorNumber);
            return message.reinterpret(MESSAGE_SIZE_MAX).getString(0);
        } catch (Throwable e) {
            return null;
        }
    }
}
