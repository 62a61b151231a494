// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// A program that maps a file, reads it until the compiler has optimised the reading, shortens the file,
/// and goes on. [LiveTruncationTest] runs it in a process of its own, since the wrong way of reading ends
/// the process.
///
/// Arguments: the file, what to do (`heap`, `native`, `crc`, `use`, `view`, `unsafe`), and how many bytes
/// at a time.
final class ShortenedFile {
    /// The exit code of the program when every read after the shortening raised the expected error.
    static final int EXIT_TYPED = 42;

    static final int EXIT_LATE = 43;
    static final int EXIT_RETURNED = 44;
    static final int EXIT_UNTYPED = 45;

    private static final int WARM_CALLS = 60_000;
    private static final long WARM_BYTES = 1L << 29;
    private static final long SHORT_SIZE = 100;
    private static final int READS_AFTER = 20;

    private static volatile long statementsAfterRead;

    private ShortenedFile() {}

    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        String mode = arguments[1];
        int size = Integer.parseInt(arguments[2]);
        try (OpenFile file = OpenFile.open(
                        path, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.MMAP));
                Arena arena = Arena.ofConfined()) {
            MemorySegment target = mode.equals("native") ? arena.allocate(size) : MemorySegment.ofArray(new byte[size]);
            System.exit(
                    switch (mode) {
                        case "view" -> checksumViews(file, size);
                        case "unsafe" -> checksumUnsafely(file, size);
                        default -> readCopies(file, target, mode);
                    });
        }
    }

    private static int readCopies(OpenFile file, MemorySegment target, String mode) throws IOException {
        Reading reading = reading(mode);
        long places = file.size() / target.byteSize();
        for (int i = 0; i < WARM_CALLS; i++) {
            boolean isFull = i * target.byteSize() < WARM_BYTES;
            MemorySegment warmTarget = isFull ? target : target.asSlice(0, 8);
            require(read(file, i % places * target.byteSize(), warmTarget, reading) == EXIT_RETURNED);
        }
        shorten(file.location().path());
        for (int i = 0; i < READS_AFTER; i++) {
            int result = resultOf(file, (places - 1 - i % (places - 1)) * target.byteSize(), target, reading);
            if (result != EXIT_TYPED) {
                return result;
            }
        }
        return EXIT_TYPED;
    }

    private interface Reading {
        int read(OpenFile file, long offset, MemorySegment target) throws IOException;
    }

    private static Reading reading(String mode) {
        return switch (mode) {
            case "crc" ->
                (file, offset, target) -> {
                    file.read(offset, target);
                    return Crc32c.of(target);
                };
            case "use" ->
                (file, offset, target) ->
                        file.use(() -> target.copyFrom(file.view(offset, target.byteSize())) == target ? 1 : 2);
            default ->
                (file, offset, target) -> {
                    file.read(offset, target);
                    return 1;
                };
        };
    }

    /// The error may come so late that even the caller of the caller meets it.
    private static int resultOf(OpenFile file, long offset, MemorySegment target, Reading reading) throws IOException {
        statementsAfterRead = 0;
        try {
            int result = read(file, offset, target, reading);
            return result == EXIT_TYPED && statementsAfterRead > 0 ? EXIT_LATE : result;
        } catch (InternalError e) {
            return EXIT_LATE;
        }
    }

    private static int read(OpenFile file, long offset, MemorySegment target, Reading reading) throws IOException {
        try {
            statementsAfterRead += reading.read(file, offset, target) | 1;
            return EXIT_RETURNED;
        } catch (DatasetException.Corrupt e) {
            return e.reason().equals(Reason.TRUNCATED) ? EXIT_TYPED : EXIT_UNTYPED;
        } catch (InternalError e) {
            return EXIT_UNTYPED;
        }
    }

    /// A view gives no typed error; what matters is that the checksum of one does not end the process.
    private static int checksumViews(OpenFile file, int size) throws IOException {
        int expected = Crc32c.of(file.view(0, size));
        for (long i = 0; i < WARM_CALLS && i * size < WARM_BYTES; i++) {
            require(Crc32c.of(file.view(0, size)) == expected);
        }
        shorten(file.location().path());
        for (int i = 0; i < READS_AFTER; i++) {
            try {
                statementsAfterRead += Crc32c.of(file.view(file.size() - size, size));
                statementsAfterRead += file.view(0, 1).get(ValueLayout.JAVA_BYTE, 0);
                return EXIT_RETURNED;
            } catch (InternalError e) {
                // This is the expected outcome.
            }
        }
        return EXIT_TYPED;
    }

    private static int checksumUnsafely(OpenFile file, int size) throws IOException {
        shorten(file.location().path());
        CRC32C crc = new CRC32C();
        crc.update(file.view(file.size() - size, size).asByteBuffer());
        statementsAfterRead += crc.getValue();
        return EXIT_RETURNED;
    }

    private static void shorten(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(SHORT_SIZE);
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("a read before the shortening failed");
        }
    }
}
