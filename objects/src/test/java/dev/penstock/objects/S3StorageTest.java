// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Catalog;
import dev.penstock.contract.RangeSample;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.HttpStorage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/// Datasets in the buckets of a real S3 server on the loopback interface, which checks signatures.
@Tag("full")
@Timeout(600)
class S3StorageTest {
    private static final HttpCalls.Options QUICK =
            new HttpCalls.Options(3, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(1));

    @TempDir
    private Path folder;

    private S3Proxy server;
    private Location bucket;
    private Storage storage;

    @BeforeEach
    void start() throws IOException {
        server = S3Proxy.shared();
        bucket = server.bucket();
        storage = storage(server.settings(), S3Proxy.credentials());
    }

    private static Storage storage(S3Settings settings, StaticCredentialsProvider credentials) {
        return new HttpStorage(new S3Server(settings, new S3Signer(credentials)), QUICK);
    }

    private static byte[] bytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(Disk.Readable file, long offset, int count) throws IOException {
        byte[] target = new byte[count];
        return Arrays.copyOf(target, (int) file.read(offset, MemorySegment.ofArray(target)));
    }

    @ParameterizedTest
    @EnumSource
    void everyFormatReadsTheSameAsFromTheDisk(RangeSample sample) throws IOException {
        List<String> expected = sample.answers(Location.of(sample.write(folder)), ReaderOptions.DEFAULT);
        Location remote = sample.in(server.copy(folder.resolve(sample.fileName()), bucket));
        assertEquals(expected, sample.answers(remote, ReaderOptions.DEFAULT.withStorage(storage)));
    }

    @Test
    void everyPieceOfAKeyIsEncoded() throws IOException {
        for (String key : List.of("a b.bin", "a+b&c=d?e#f%41.bin", "ä/日本.bin", "x=1/y=2/~!*'().bin")) {
            byte[] content = bytes(key.hashCode(), 3000);
            server.put(bucket.resolve(key), content);
            try (Disk.Readable file = storage.open(bucket.resolve(key))) {
                assertArrayEquals(content, read(file, 0, 5000), key);
            }
        }
    }

    @Test
    void aFolderIsListedOverAllPages() throws IOException {
        server.put(bucket.resolve("many/inner/deep"), new byte[0]);
        for (int i = 0; i < 1205; i++) {
            Files.createFile(server.files(bucket).resolve("many/x y" + i));
        }
        server.put(bucket.resolve("manyother"), new byte[0]);
        Location many = bucket.resolve("many");
        List<Location> found = storage.list(many);
        assertEquals(1206, found.size());
        assertEquals(1206, Set.copyOf(found).size());
        assertTrue(found.containsAll(List.of(many.resolve("inner"), many.resolve("x y1204"))));
        assertEquals(Set.of(many, bucket.resolve("manyother")), Set.copyOf(storage.list(bucket)));
        assertTrue(storage.isFolder(many) && storage.isFolder(bucket) && storage.isFolder(many.resolve("inner")));
        assertFalse(storage.isFolder(bucket.resolve("manyother")) || storage.isFolder(bucket.resolve("man")));
        assertEquals(List.of(), storage.list(bucket.resolve("absent")));
    }

    @Test
    void anEmptyObjectHasNoBytes() throws IOException {
        Location empty = bucket.resolve("empty");
        server.put(empty, new byte[0]);
        assertEquals(0, storage.size(empty));
        assertEquals(0, storage.read(empty, 0, MemorySegment.ofArray(new byte[4])));
    }

    @Test
    void anObjectThatIsReplacedWhileItIsOpenIsNeverMixed() throws IOException {
        Location object = bucket.resolve("object");
        server.put(object, bytes(1, 100_000));
        Disk.Readable file = storage.open(object);
        server.put(object, bytes(2, 100_000));
        DatasetException.Corrupt refusal = assertThrows(DatasetException.Corrupt.class, () -> read(file, 50_000, 1000));
        assertEquals(Reason.SHARD_CHANGED, refusal.reason());
        assertTrue(refusal.getMessage().contains("replaced while it was open"), refusal::getMessage);
        server.client()
                .deleteObject(request -> request.bucket(S3Server.bucket(object)).key("object"));
        assertThrows(IOException.class, () -> read(file, 50_000, 1000));
    }

    @Test
    void absentObjectsBucketsAndFoldersAreNamed() {
        Location absent = bucket.resolve("absent");
        NoSuchFileException noObject = assertThrows(NoSuchFileException.class, () -> storage.open(absent));
        assertEquals(absent.toString(), noObject.getFile());
        Location elsewhere = Location.parse("s3://absent-bucket/x");
        NoSuchFileException noBucket = assertThrows(NoSuchFileException.class, () -> storage.open(elsewhere));
        assertTrue(noBucket.getMessage().contains("NoSuchBucket"), noBucket::getMessage);
        assertThrows(
                IOException.class,
                () -> Catalog.open(
                                absent, Catalog.Options.DEFAULT.withReading(ReaderOptions.DEFAULT.withStorage(storage)))
                        .close());
    }

    @Test
    void wrongAndMissingCredentialsAreDeniedAndNeverShown() {
        Location object = bucket.resolve("object");
        server.put(object, new byte[10]);
        String secret = "another-secret-that-must-not-be-shown";
        Map<String, Storage> refused = new TreeMap<>(Map.of(
                "a wrong secret",
                storage(
                        server.settings(),
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(S3Proxy.IDENTITY, secret))),
                "an unknown identity",
                storage(
                        server.settings(),
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("unknown", secret))),
                "no credentials",
                storage(server.settings(), null)));
        refused.forEach((name, other) -> {
            AccessDeniedException denied = assertThrows(AccessDeniedException.class, () -> other.open(object), name);
            assertEquals(object.toString(), denied.getFile());
            StringWriter trace = new StringWriter();
            denied.printStackTrace(new PrintWriter(trace));
            assertFalse(trace.toString().contains("must-not-be-shown"), trace::toString);
            assertFalse(trace.toString().contains("Signature="), trace::toString);
            assertThrows(AccessDeniedException.class, () -> other.list(bucket), name);
        });
    }

    /// The SDK reads these from system properties too, which a test can set.
    @Test
    void theSettingsOfTheProcessOpenAnAddress() throws IOException {
        Location remote = server.copy(RangeSample.TABLE_SHARDS.write(folder), bucket);
        Map<String, String> properties = Map.of(
                "aws.accessKeyId", S3Proxy.IDENTITY,
                "aws.secretAccessKey", S3Proxy.SECRET,
                "aws.endpointUrlS3", server.endpoint().toString());
        properties.forEach(System::setProperty);
        try (Dataset dataset = Catalog.open(Location.parse(remote.toString()), Catalog.Options.DEFAULT)) {
            assertEquals(3000, dataset.count());
            assertEquals(remote, dataset.location());
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }
}
