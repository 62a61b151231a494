// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.cache.BlockCache;
import dev.penstock.file.cache.CachedStorage;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.HttpStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The cache in front of a real S3 server, behind a proxy that misbehaves.
@Tag("full")
@Timeout(600)
class S3CacheTest {
    private static final HttpCalls.Options QUICK =
            new HttpCalls.Options(3, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(1));
    private static final int BLOCKS = 6;
    private static final int SIZE = BLOCKS << 20;

    @TempDir
    private Path folder;

    private final byte[] bytes = new byte[SIZE];
    private S3Proxy server;
    private FaultyProxy proxy;
    private Location object;

    @BeforeEach
    void start() throws IOException {
        server = S3Proxy.shared();
        proxy = new FaultyProxy(server.endpoint());
        new Random(1).nextBytes(bytes);
        object = server.bucket().resolve("object");
        server.put(object, bytes);
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
    }

    private ReaderOptions options() throws IOException {
        S3Settings settings = new S3Settings("us-east-1", proxy.endpoint(), true, false, false);
        HttpStorage storage = new HttpStorage(new S3Server(settings, new S3Signer(S3Proxy.credentials())), QUICK);
        CacheOptions cache = new CacheOptions(folder.resolve("cache"), Long.MAX_VALUE);
        return ReaderOptions.DEFAULT.withStorage(new CachedStorage(storage, BlockCache.open(Disk.real(), cache)));
    }

    private static byte[] read(OpenFile file, long offset, int size) throws IOException {
        byte[] read = new byte[size];
        file.read(offset, MemorySegment.ofArray(read));
        return read;
    }

    private List<Path> files(String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("cache"))) {
            return all.filter(path -> path.toString().endsWith(end)).toList();
        }
    }

    @Test
    void anObjectThatIsReplacedIsNeverMixed() throws IOException {
        try (OpenFile file = OpenFile.open(object, options())) {
            read(file, 0, 2 << 20);
            byte[] other = new byte[SIZE];
            new Random(2).nextBytes(other);
            server.put(object, other);
            DatasetException.Corrupt replaced =
                    assertThrows(DatasetException.Corrupt.class, () -> read(file, 4 << 20, 1 << 20));
            assertEquals(Reason.SHARD_CHANGED, replaced.reason());
            assertArrayEquals(Arrays.copyOf(bytes, 1 << 20), read(file, 0, 1 << 20), "cached, of the old version");
            try (OpenFile again = OpenFile.open(object, options())) {
                assertArrayEquals(other, read(again, 0, SIZE));
            }
        }
    }

    @Test
    void credentialsThatExpireAreAnErrorForWhatIsNotCached() throws IOException {
        try (OpenFile file = OpenFile.open(object, options())) {
            read(file, 0, 1 << 20);
            proxy.status(403);
            proxy.fail(_ -> FaultyProxy.Fault.STATUS);
            assertArrayEquals(Arrays.copyOf(bytes, 1 << 20), read(file, 0, 1 << 20));
            assertThrows(AccessDeniedException.class, () -> read(file, 3 << 20, 1 << 20));
            proxy.fail(_ -> FaultyProxy.Fault.NONE);
            assertArrayEquals(bytes, read(file, 0, SIZE));
        }
    }

    @Test
    void faultyAnswersAreNotCached() throws IOException {
        for (FaultyProxy.Fault fault : FaultyProxy.Fault.values()) {
            // A wrong byte is not noticed without a checksum in the dataset, and a stall takes long.
            if (fault != FaultyProxy.Fault.STALL && fault != FaultyProxy.Fault.WRONG_BYTE) {
                proxy.fail(number -> number % 3 == 2 ? fault : FaultyProxy.Fault.NONE);
                try (OpenFile file = OpenFile.open(object, options())) {
                    assertArrayEquals(bytes, read(file, 0, SIZE), fault.name());
                }
                try (OpenFile file = OpenFile.open(object, options())) {
                    assertArrayEquals(bytes, read(file, 0, SIZE), fault + ", cached");
                }
                for (Path block : files(".block")) {
                    Files.delete(block);
                }
            }
        }
    }

    private Process reader() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CacheReader.class.getName(),
                        proxy.endpoint().toString(),
                        object.uri().toString(),
                        folder.resolve("cache").toString(),
                        Integer.toString(SIZE))
                .redirectErrorStream(true)
                .redirectOutput(
                        folder.resolve("child-" + System.nanoTime() + ".txt").toFile())
                .start();
    }

    @Test
    void aKilledProcessLeavesNoWrongBlockAndNothingLocked() throws Exception {
        Random random = new Random(3);
        for (int round = 0; round < 5; round++) {
            proxy.slow(10, 40L << 20);
            Process killed = reader();
            Process other = reader();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (System.nanoTime() < deadline && proxy.requestCount() < 1 + random.nextInt(8)) {
                Thread.sleep(5);
            }
            killed.destroyForcibly().waitFor();
            assertEquals(0, other.waitFor(), "the other process reads on");
            try (OpenFile file = OpenFile.open(object, options())) {
                assertArrayEquals(bytes, read(file, 0, SIZE));
            }
            assertEquals(List.of(), files(".tmp"), "swept when the object is opened");
            for (Path block : files(".block")) {
                Files.delete(block);
            }
            proxy.fail(_ -> FaultyProxy.Fault.NONE);
        }
    }

    @Test
    void twoProcessesRequestABlockOnce() throws Exception {
        proxy.slow(200, 20L << 20);
        Process one = reader();
        Process two = reader();
        assertEquals(0, one.waitFor());
        assertEquals(0, two.waitFor());
        assertEquals(BLOCKS, files(".block").size());
        // Each of them opens the object by one request.
        assertTrue(proxy.requestCount() <= BLOCKS + 2, () -> proxy.requestCount() + " requests");
    }
}
