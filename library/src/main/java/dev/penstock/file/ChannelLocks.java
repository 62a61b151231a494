// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Operating system locks on one file, combined with the locks of other holders in this process.
///
/// The operating system grants locks to a process and not to a descriptor, and releases all locks of the process
/// on a file when any descriptor of that file is closed. Therefore a process opens each lock file once and all
/// holders share it. [LockTable] decides between holders in the same process.
///
/// A process opens a lock file once. Closing any descriptor of a file ends all locks of the
/// process on it.
final class ChannelLocks implements Disk.Locks, Disk.RangeLocks {
    /// The lock files that are open in this process, by file key. The map is also the monitor that guards all of
    /// them.
    private static final Map<Object, Shared> OPEN = new HashMap<>();

    private final Shared shared;
    private final Set<Held> held = new HashSet<>();
    private boolean isClosed;

    private ChannelLocks(Shared shared) {
        this.shared = shared;
    }

    /// The only descriptor of a lock file, with the locks that this process holds on it.
    private static final class Shared {
        private final Object key;
        private final Path file;
        private final boolean isWritable;
        private final RandomAccessFile descriptor;
        private final LockTable table = new LockTable();
        /// The operating system locks, by first byte. The table makes sure that ranges do not overlap.
        private final Map<Long, FileLock> locks = new HashMap<>();

        private int userCount;

        /// A `RandomAccessFile` is used because interrupting a thread inside a channel would close the channel and
        /// release all locks.
        Shared(Object key, Path file, boolean isWritable) throws IOException {
            this.key = key;
            this.file = file;
            this.isWritable = isWritable;
            this.descriptor = new RandomAccessFile(file.toFile(), isWritable ? "rw" : "r");
            requireSame();
        }

        /// Such a file cannot be opened without following links, so it is looked at again afterwards.
        private void requireSame() throws IOException {
            try {
                if (Files.isSymbolicLink(file) || !key.equals(key(file))) {
                    throw new FileSystemException(file.toString(), null, "it was replaced while it was opened");
                }
            } catch (Throwable e) {
                descriptor.close();
                throw e;
            }
        }
    }

    static ChannelLocks open(Path file) throws IOException {
        synchronized (OPEN) {
            createIfAbsent(file);
            // Shared locks need no write permission.
            return open(file, Files.isWritable(file));
        }
    }

    /// Opens a file that is not only a lock file, on systems without [DescriptionLocks]. If another handle of this
    /// process closes the file meanwhile, the system may release its locks.
    static ChannelLocks openExisting(Path file) throws IOException {
        return open(file, Files.isWritable(file));
    }

    static ChannelLocks open(Path file, boolean isWritable) throws IOException {
        synchronized (OPEN) {
            Object key = key(file);
            Shared shared = OPEN.get(key);
            if (shared == null) {
                shared = new Shared(key, file, isWritable);
                OPEN.put(key, shared);
            }
            shared.userCount++;
            return new ChannelLocks(shared);
        }
    }

    private static Object key(Path file) throws IOException {
        Object identity = RealDisk.identity(file);
        return identity == null ? file.toRealPath() : identity;
    }

    @Override
    public boolean isCurrent() throws IOException {
        return Files.exists(shared.file) && shared.key.equals(key(shared.file));
    }

    private static void createIfAbsent(Path file) throws IOException {
        if (!Files.exists(file)) {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                // Another process created the file first.
            }
        }
    }

    @Override
    public Disk.Lock tryShared(long byteIndex) throws IOException {
        return take(byteIndex, 1, true);
    }

    @Override
    public Disk.Lock tryExclusive(long start, long byteCount) throws IOException {
        return take(start, byteCount, false);
    }

    private Disk.Lock take(long start, long byteCount, boolean isShared) throws IOException {
        synchronized (OPEN) {
            requireOpen();
            if (!isShared && !shared.isWritable) {
                throw new AccessDeniedException(
                        shared.file.toString(), null, "the file cannot be written, so it cannot be locked");
            }
            if (!shared.table.isFree(start, byteCount, isShared)) {
                return null;
            }
            if (!shared.locks.containsKey(start)) {
                FileLock lock = shared.descriptor.getChannel().tryLock(start, byteCount, isShared);
                if (lock == null) {
                    return null;
                }
                shared.locks.put(start, lock);
            }
            shared.table.add(start, byteCount, isShared);
            Held one = new Held(start);
            held.add(one);
            return one;
        }
    }

    @Override
    public String text() throws IOException {
        synchronized (OPEN) {
            requireOpen();
            byte[] bytes = new byte[TEXT_SIZE_MAX];
            shared.descriptor.seek(0);
            int size = shared.descriptor.read(bytes);
            return new String(bytes, 0, Math.max(0, size), StandardCharsets.UTF_8).strip();
        }
    }

    @Override
    public void setText(String text) throws IOException {
        synchronized (OPEN) {
            requireOpen();
            requireLockFile();
            shared.descriptor.seek(0);
            shared.descriptor.write(padded(text));
        }
    }

    /// Rejects a file with more than the text of a lock: it may be a file of somebody else with a second name.
    private void requireLockFile() throws IOException {
        if (shared.descriptor.length() > TEXT_SIZE_MAX) {
            throw new FileSystemException(
                    shared.file.toString(),
                    null,
                    "this is not a lock file: it has " + shared.descriptor.length() + " bytes; remove it");
        }
    }

    /// A text padded with spaces, so that it overwrites a longer earlier text.
    static byte[] padded(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > TEXT_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "the text of a lock is too long: the limit is " + TEXT_SIZE_MAX + " bytes");
        }
        byte[] padded = Arrays.copyOf(bytes, TEXT_SIZE_MAX);
        Arrays.fill(padded, bytes.length, TEXT_SIZE_MAX, (byte) ' ');
        return padded;
    }

    @Override
    public void close() throws IOException {
        synchronized (OPEN) {
            if (isClosed) {
                return;
            }
            for (Held one : Set.copyOf(held)) {
                one.close();
            }
            isClosed = true;
            shared.userCount--;
            if (shared.userCount == 0) {
                OPEN.remove(shared.key);
                shared.descriptor.close();
            }
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the locks of " + shared.file + " are closed");
        }
    }

    /// One lock of one holder.
    private final class Held implements Disk.Lock {
        private final long start;

        Held(long start) {
            this.start = start;
        }

        @Override
        public void close() throws IOException {
            synchronized (OPEN) {
                if (held.remove(this) && shared.table.remove(start)) {
                    shared.locks.remove(start).release();
                }
            }
        }
    }
}
