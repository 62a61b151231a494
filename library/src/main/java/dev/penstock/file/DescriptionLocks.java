// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// Locks of an open file description of Linux (`F_OFD_SETLK`).
///
/// The locks that Java and SQLite use belong to a process: closing any descriptor of the file releases all of
/// them, also when another thread, another library or an interrupt closes it. Locks of a description belong to the
/// descriptor they were taken through. Both kinds exclude each other, so programs with ordinary locks are kept
/// out.
///
/// A process that is started by a plain `fork` shares the descriptor. So locks are released explicitly and do not
/// depend on the last descriptor being closed.
///
/// **Threads.** One thread at a time.
///
/// A database is locked by an open file description and not by the process. A lock of the
/// process ends when any of its threads or libraries closes the file, as every reader does.
final class DescriptionLocks implements Disk.RangeLocks {
    private static final int O_RDWR_CLOEXEC = 0x2 | 0x80000;
    private static final int F_OFD_SETLK = 37;
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;

    private static final int ENOENT = 2;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    private static final int EACCES = 13;

    /// `struct flock` of the 64-bit systems.
    private static final long FLOCK_SIZE = 32;
    private static final long START_OFFSET = 8;
    private static final long COUNT_OFFSET = 16;

    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final Optional<MethodHandle> OPEN =
            function("open", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final Optional<MethodHandle> FCNTL =
            function("fcntl", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS);
    private static final Optional<MethodHandle> CLOSE =
            Advice.function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private final Path file;
    private final Object identity;
    private final int descriptor;
    private boolean isClosed;

    private DescriptionLocks(Path file, Object identity, int descriptor) {
        this.file = file;
        this.identity = identity;
        this.descriptor = descriptor;
    }

    /// A function with two fixed arguments and one of any type, which sets `errno`.
    private static Optional<MethodHandle> function(String name, MemoryLayout... arguments) {
        return Advice.function(
                name,
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(2));
    }

    /// Whether this system has such locks.
    static boolean isSupported() {
        return OPEN.isPresent()
                && FCNTL.isPresent()
                && CLOSE.isPresent()
                && ValueLayout.ADDRESS.byteSize() == Long.BYTES
                && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    static DescriptionLocks open(Path file) throws IOException {
        // Opening a folder, a pipe or a device could have an effect.
        RealDisk.requireOpenable(file);
        Object identity = RealDisk.identity(file);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = path(arena, file);
            MemorySegment state = arena.allocate(STATE);
            int descriptor;
            do {
                descriptor = (int) OPEN.orElseThrow().invokeExact(state, path, O_RDWR_CLOEXEC, 0);
            } while (descriptor < 0 && errno(state) == EINTR);
            if (descriptor < 0) {
                throw failure(file, "opened", errno(state));
            }
            DescriptionLocks locks = new DescriptionLocks(file, identity, descriptor);
            if (!locks.isCurrent()) {
                // Another process replaced the file between looking at it and opening it.
                locks.close();
                return open(file);
            }
            return locks;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("open declares no exception", e);
        }
    }

    /// The path of a file as the system expects it.
    static MemorySegment path(Arena arena, Path file) {
        Charset charset = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        return arena.allocateFrom(file.toAbsolutePath().toString(), charset);
    }

    private static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    private static FileSystemException failure(Path file, String verb, int errno) {
        return switch (errno) {
            case ENOENT -> new NoSuchFileException(file.toString());
            case EACCES -> new AccessDeniedException(file.toString());
            default ->
                new FileSystemException(
                        file.toString(), null, "it cannot be " + verb + " for locking (errno " + errno + ")");
        };
    }

    @Override
    public Disk.Lock tryShared(long byteIndex) throws IOException {
        return take(F_RDLCK, byteIndex, 1);
    }

    @Override
    public Disk.Lock tryExclusive(long start, long byteCount) throws IOException {
        return take(F_WRLCK, start, byteCount);
    }

    private Disk.Lock take(short type, long start, long byteCount) throws IOException {
        int errno = set(type, start, byteCount);
        if (errno == EAGAIN || errno == EACCES) {
            return null;
        }
        if (errno != 0) {
            throw failure(file, "locked", errno);
        }
        return () -> {
            int released = isClosed ? 0 : set(F_UNLCK, start, byteCount);
            if (released != 0) {
                throw failure(file, "unlocked", released);
            }
        };
    }

    /// @return 0, or the number of the error
    private int set(short type, long start, long byteCount) {
        if (isClosed) {
            throw new ClosedException("the locks of " + file + " are closed");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment lock = arena.allocate(FLOCK_SIZE, Long.BYTES);
            lock.set(ValueLayout.JAVA_SHORT, 0, type);
            lock.set(ValueLayout.JAVA_LONG, START_OFFSET, start);
            lock.set(ValueLayout.JAVA_LONG, COUNT_OFFSET, byteCount);
            int result = (int) FCNTL.orElseThrow().invokeExact(state, descriptor, F_OFD_SETLK, lock);
            return result == 0 ? 0 : errno(state);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("fcntl declares no exception", e);
        }
    }

    @Override
    public boolean isCurrent() throws IOException {
        try {
            return Objects.equals(identity, RealDisk.identity(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        // A length of 0 means the whole file.
        set(F_UNLCK, 0, 0);
        isClosed = true;
        try {
            int ignored = (int) CLOSE.orElseThrow().invokeExact(descriptor);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("close declares no exception", e);
        }
    }
}
