// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Catalog;
import dev.penstock.contract.RangeSample;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Pace;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.HttpStorage;
import dev.penstock.objects.FaultyProxy.Fault;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/// A server and a network that misbehave: the data is right, or there is a typed error in bounded time.
@Tag("full")
@Timeout(600)
class S3FaultTest {
    /// For faults that pass: the stalls are short, and the limit is never reached.
    private static final HttpCalls.Options PATIENT =
            new HttpCalls.Options(100, Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofMillis(1));

    /// For faults that stay.
    private static final HttpCalls.Options HURRIED =
            new HttpCalls.Options(3, Duration.ofSeconds(300), Duration.ofMillis(500), Duration.ofMillis(1));

    /// More than the names of one list.
    private static final int MANY = 1200;

    @TempDir
    private Path folder;

    private S3Proxy server;
    private FaultyProxy proxy;
    private Location bucket;

    @BeforeEach
    void start() throws IOException {
        server = S3Proxy.shared();
        bucket = server.bucket();
        proxy = new FaultyProxy(server.endpoint());
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
    }

    private HttpStorage storage(HttpCalls.Options options) {
        S3Settings settings = new S3Settings("us-east-1", proxy.endpoint(), true, false, false);
        return new HttpStorage(new S3Server(settings, new S3Signer(S3Proxy.credentials())), options);
    }

    private static Dataset open(Location location, HttpStorage storage) throws IOException {
        return Catalog.open(location, Catalog.Options.DEFAULT.withReading(ReaderOptions.DEFAULT.withStorage(storage)));
    }

    /// Shows that the proxy does what it should: the client of the SDK takes half of the bytes for all of them.
    @Test
    void theFaultsReachAClient() {
        server.put(bucket.resolve("object"), new byte[1000]);
        proxy.fail(_ -> Fault.SHORT);
        try (S3Client naive = S3Client.builder()
                .endpointOverride(proxy.endpoint())
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(S3Proxy.credentials())
                .build()) {
            byte[] bytes = naive.getObjectAsBytes(request -> request.bucket(S3Server.bucket(bucket))
                            .key("object")
                            .range("bytes=0-99"))
                    .asByteArray();
            assertEquals(50, bytes.length);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "WRONG_BYTE"})
    void aThirdOfFaultyAnswersLeavesTheDataRight(Fault fault) throws IOException {
        RangeSample sample = RangeSample.PACK;
        List<String> expected = sample.answers(Location.of(sample.write(folder)), ReaderOptions.DEFAULT);
        Location remote = sample.in(server.copy(folder.resolve(sample.fileName()), bucket));
        Random random = new Random(fault.ordinal());
        proxy.fail(_ -> isOneOfThree(random) ? fault : Fault.NONE);
        assertEquals(expected, sample.answers(remote, ReaderOptions.DEFAULT.withStorage(storage(PATIENT))));
    }

    private static synchronized boolean isOneOfThree(Random random) {
        return random.nextInt(3) == 0;
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503, 504})
    void aPassingStatusIsTriedAgainAndOneThatStaysIsAnError(int status) throws IOException {
        Location object = bucket.resolve("object");
        server.put(object, new byte[5000]);
        proxy.status(status);
        proxy.fail(number -> number <= 3 ? Fault.STATUS : Fault.NONE);
        assertEquals(5000, storage(PATIENT).size(object));
        assertEquals(4, proxy.requestCount());
        proxy.fail(_ -> Fault.STATUS);
        IOException failure =
                assertThrows(IOException.class, () -> storage(HURRIED).size(object));
        assertTrue(failure.getMessage().startsWith(object + ": no usable answer in "), failure::getMessage);
        assertTrue(failure.getMessage().endsWith("attempts: the server answered with status " + status));
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "STATUS", "WRONG_BYTE"})
    void aFaultThatStaysIsAnErrorThatNamesTheObject(Fault fault) throws IOException {
        Location object = bucket.resolve("object");
        server.put(object, new byte[100_000]);
        HttpStorage storage = storage(HURRIED);
        try (Disk.Readable file = storage.open(object)) {
            proxy.fail(_ -> fault);
            MemorySegment target = MemorySegment.ofArray(new byte[50_000]);
            IOException failure = assertThrows(IOException.class, () -> file.read(10_000, target));
            assertTrue(failure.getMessage().startsWith(object + ": no usable answer in "), failure::getMessage);
            proxy.fail(_ -> Fault.NONE);
            assertEquals(50_000, file.read(10_000, target), "usable as before");
        }
    }

    @Test
    void answersThatDoNotPassAreErrorsAtOnce() throws IOException {
        Location object = bucket.resolve("object");
        server.put(object, new byte[100_000]);
        HttpStorage storage = storage(PATIENT);
        try (Disk.Readable file = storage.open(object)) {
            MemorySegment target = MemorySegment.ofArray(new byte[10]);
            proxy.fail(_ -> Fault.STATUS);
            proxy.status(403);
            assertThrows(AccessDeniedException.class, () -> file.read(50_000, target));
            proxy.status(404);
            IOException gone = assertThrows(IOException.class, () -> file.read(50_000, target));
            assertTrue(gone.getMessage().contains("does not exist any more"), gone::getMessage);
            for (int status : new int[] {412, 416}) {
                proxy.status(status);
                DatasetException.Corrupt replaced =
                        assertThrows(DatasetException.Corrupt.class, () -> file.read(50_000, target));
                assertEquals(Reason.SHARD_CHANGED, replaced.reason());
            }
            assertEquals(4, proxy.requestCount(), "one request each");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void aStormOfThrottlingPasses(int status) throws IOException {
        RangeSample sample = RangeSample.TABLE_SHARDS;
        List<String> expected = sample.answers(Location.of(sample.write(folder)), ReaderOptions.DEFAULT);
        Location remote = sample.in(server.copy(folder.resolve(sample.fileName()), bucket));
        proxy.status(status);
        proxy.fail(number -> number % 20 < 8 ? Fault.STATUS : Fault.NONE);
        assertEquals(expected, sample.answers(remote, ReaderOptions.DEFAULT.withStorage(storage(PATIENT))));
        assertTrue(proxy.requestCount() > 20, "the storm came");
    }

    @Test
    void anObjectThatIsReplacedBetweenTwoRangesIsAnError() throws IOException {
        Path local = RangeSample.TABLE.write(folder);
        Location remote = server.copy(local, bucket);
        try (Dataset dataset = open(remote, storage(PATIENT));
                Batch batch = Batch.create(dataset.fields())) {
            dataset.gather(new long[] {1}, batch);
            byte[] other = Files.readAllBytes(local);
            other[other.length - 1] ^= 1;
            server.put(remote, other);
            DatasetException.Corrupt replaced =
                    assertThrows(DatasetException.Corrupt.class, () -> dataset.gather(new long[] {2900, 5}, batch));
            assertEquals(Reason.SHARD_CHANGED, replaced.reason());
        }
    }

    @Test
    void aWrongByteIsFoundByTheChecksum() throws IOException {
        Location remote = server.copy(RangeSample.PACK.write(folder), bucket);
        try (Dataset dataset = open(remote, storage(PATIENT));
                Batch batch = Batch.create(dataset.fields())) {
            proxy.fail(_ -> Fault.WRONG_BYTE);
            long[] all = LongStream.range(0, dataset.count()).toArray();
            DatasetException.Corrupt wrong =
                    assertThrows(DatasetException.Corrupt.class, () -> dataset.gather(all, batch));
            assertEquals(Reason.CHECKSUM, wrong.reason());
        }
    }

    @Test
    void theGapFollowsFromLatencyAndBandwidth() throws IOException {
        Location object = bucket.resolve("object");
        server.put(object, new byte[4 << 20]);
        HttpStorage storage = storage(PATIENT);
        assertEquals(Pace.DEFAULT, storage.pace(object), "nothing is known yet");
        proxy.slow(30, 20_000_000);
        try (Disk.Readable file = storage.open(object)) {
            for (int i = 0; i < 4; i++) {
                file.read(i << 20, MemorySegment.ofArray(new byte[1 << 20]));
            }
        }
        Pace pace = storage.pace(object);
        // 30 ms at 20 MB/s are 600 KB; a busy machine has a longer latency and less bandwidth.
        assertTrue(pace.gapSize() > 100_000, pace::toString);
        assertTrue(pace.requestSize() >= Pace.DEFAULT.requestSize(), pace::toString);
    }

    /// The list of the bucket and the manifest are enough.
    @ParameterizedTest
    @ValueSource(strings = {"table", "shards"})
    void manyShardsOpenWithFewRequests(String kind) throws IOException {
        Path local = folder.resolve(kind);
        if (kind.equals("table")) {
            try (TableWriter writer = TableWriter.create(
                    local, RowType.of(DType.parse("'<i4'")), TableWriter.Options.DEFAULT.withShardRows(1))) {
                writer.append(MemorySegment.ofArray(new byte[4 * MANY]));
            }
        } else {
            try (ShardWriter writer = ShardWriter.create(local, 4, ShardWriter.Options.DEFAULT.withShardRows(1))) {
                writer.append(new double[MANY][4]);
            }
        }
        server.copy(local, bucket);
        proxy.slow(30, Long.MAX_VALUE);
        proxy.fail(_ -> Fault.NONE);
        try (Dataset dataset = open(bucket.resolve(kind), storage(PATIENT));
                Batch batch = Batch.create(dataset.fields())) {
            assertEquals(MANY, dataset.count());
            assertTrue(proxy.requestCount() < 25, "requests: " + proxy.requestCount());
            dataset.gather(new long[] {1, MANY - 1, 500}, batch);
            assertEquals(3, batch.rowCount());
        }
    }

    @Test
    void anUnknownHostIsGivenUpSoonAndNothingOfTheRequestIsShown() {
        proxy.fail(_ -> Fault.RESET);
        S3Settings settings = new S3Settings("us-east-1", URI.create("http://127.0.0.1:1"), true, false, false);
        HttpStorage storage = new HttpStorage(new S3Server(settings, new S3Signer(S3Proxy.credentials())), HURRIED);
        IOException failure = assertThrows(IOException.class, () -> storage.size(bucket.resolve("x")));
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertFalse(("" + cause).contains("Signature"), failure::getMessage);
            assertFalse(("" + cause).contains(S3Proxy.IDENTITY), failure::getMessage);
        }
    }
}
