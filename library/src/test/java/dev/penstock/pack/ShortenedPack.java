// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.stream.LongStream;

/// A program that reads packs until the compiler has optimised the reading, shortens each file, and goes on
/// reading. [PackLiveTruncationTest] runs it in a process of its own, since the wrong way of reading ends the
/// process.
///
/// An argument for each pack: the [Way] of reading, mapped or read, threads, whether checksums are held against,
/// the size to cut to, and the file. It prints what it met and exits with 42 when each read after a cut was
/// refused as it should be.
final class ShortenedPack {
    static final int EXIT_REFUSED = 42;
    static final int EXIT_INTERNAL_ERROR = 43;
    static final int EXIT_RETURNED = 44;
    static final int EXIT_OTHER = 45;

    private static final int READS_AFTER = 20;
    private static final Set<Reason> REASONS = Set.of(Reason.TRUNCATED, Reason.CHECKSUM, Reason.OUT_OF_RANGE);

    /// A way of reading, and the number of calls after which its code is surely compiled.
    enum Way {
        GATHER(600),
        GATHER_FEW(40_000),
        READ(100_000),
        GET(100_000),
        ENTRY(200_000),
        SCAN(100),
        VERIFY(80),
        FINGERPRINT(2_000),
        NAME(100_000);

        private final int warmCalls;

        Way(int warmCalls) {
            this.warmCalls = warmCalls;
        }
    }

    private final PackReader reader;
    private final Way way;
    private final Batch batch;
    private final MemorySegment target;
    private final long[] most;
    private long seen;

    private ShortenedPack(PackReader reader, Way way, Batch batch, MemorySegment target) {
        this.reader = reader;
        this.way = way;
        this.batch = batch;
        this.target = target;
        this.most = LongStream.range(reader.count() / 4, reader.count()).toArray();
    }

    public static void main(String[] arguments) throws IOException {
        int result = EXIT_REFUSED;
        for (int i = 0; i < arguments.length && result == EXIT_REFUSED; i++) {
            System.out.println(arguments[i]);
            result = cut(arguments[i].split(" ", 6));
        }
        System.exit(result);
    }

    private static int cut(String[] scenario) throws IOException {
        Path path = Path.of(scenario[5]);
        PackReader.Options options = PackReader.Options.DEFAULT
                .withAccess(Access.valueOf(scenario[1]))
                .withThreads(Integer.parseInt(scenario[2]))
                .withCheckingEntries(Boolean.parseBoolean(scenario[3]));
        try (PackReader reader = PackReader.open(path, options);
                Batch batch = Batch.create(reader.fields());
                Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(1 << 20);
            return new ShortenedPack(reader, Way.valueOf(scenario[0]), batch, target).run(Long.parseLong(scenario[4]));
        } catch (InternalError e) {
            e.printStackTrace();
            return EXIT_INTERNAL_ERROR;
        }
    }

    private int run(long cutSize) throws IOException {
        boolean isSlow = reader.entry(0).codec() != Codec.NONE;
        for (int i = 0; i < (isSlow ? way.warmCalls / 5 : way.warmCalls); i++) {
            read(i);
        }
        try (FileChannel channel = FileChannel.open(reader.location().path(), StandardOpenOption.WRITE)) {
            channel.truncate(cutSize);
        }
        for (int i = 0; i < READS_AFTER; i++) {
            int result = readAfter(i);
            if (result != EXIT_REFUSED) {
                System.out.println("read " + i + " after the cut");
                return result;
            }
        }
        return EXIT_REFUSED;
    }

    private int readAfter(int round) throws IOException {
        try {
            return read(round) ? EXIT_RETURNED : EXIT_REFUSED;
        } catch (DatasetException.Corrupt e) {
            System.out.println(e.getMessage());
            return REASONS.contains(e.reason()) ? EXIT_REFUSED : EXIT_OTHER;
        } catch (InternalError e) {
            e.printStackTrace();
            return EXIT_INTERNAL_ERROR;
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            return EXIT_OTHER;
        }
    }

    /// Reads once, of the later records, so that a cut concerns it.
    ///
    /// @return whether it went well; for those ways that do not throw
    private boolean read(int round) throws IOException {
        long index = reader.count() - 1 - round % (reader.count() / 4);
        switch (way) {
            case GATHER -> reader.gather(most, batch);
            case GATHER_FEW -> reader.gather(new long[] {index, index - 1, index}, batch);
            case READ -> seen += reader.read(index, target);
            case GET -> seen += reader.get(index).value(0).byteSize();
            case ENTRY -> seen += reader.entry(index).storedSize();
            case SCAN -> scan();
            case FINGERPRINT -> seen += reader.fingerprint().length();
            case NAME -> seen += reader.name(index).length();
            case VERIFY -> {
                return reader.verify(Progress.NONE).isOk();
            }
        }
        return true;
    }

    private void scan() throws IOException {
        try (PackScan scan = reader.scan()) {
            while (scan.next()) {
                seen += scan.value().byteSize();
            }
        }
    }
}
