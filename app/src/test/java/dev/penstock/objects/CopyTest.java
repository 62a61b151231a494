// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.DatasetCopy;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.groups.Grouping;
import dev.penstock.objects.FaultyProxy.Fault;
import dev.penstock.shards.ShardWriter;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Copies to and from a real S3 server, through a network that misbehaves.
@Tag("full")
@Timeout(600)
class CopyTest {
    private static FaultyProxy proxy;
    private static Map<String, String> properties;

    @TempDir
    private Path folder;

    private Location bucket;

    /// The storage of `s3` is created once in a process, so all tests share the proxy, and so do repeated ones.
    @BeforeAll
    static void startProxy() throws IOException {
        if (proxy == null) {
            proxy = new FaultyProxy(S3Proxy.shared().endpoint());
        }
        properties = Map.of(
                "aws.accessKeyId", S3Proxy.IDENTITY,
                "aws.secretAccessKey", S3Proxy.SECRET,
                "aws.endpointUrlS3", proxy.endpoint().toString());
        properties.forEach(System::setProperty);
    }

    @AfterAll
    static void clearProperties() {
        properties.keySet().forEach(System::clearProperty);
    }

    @BeforeEach
    void createBucket() throws IOException {
        bucket = S3Proxy.shared().bucket();
    }

    @AfterEach
    void heal() {
        proxy.fail(_ -> Fault.NONE);
        proxy.status(503);
        proxy.slow(0, Long.MAX_VALUE);
    }

    private static DatasetCopy.Report copy(Location source, Location target) throws IOException {
        return DatasetCopy.of(source, target).run(Progress.NONE);
    }

    private static byte[] random(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private Path table(String name, long seed, int size) throws IOException {
        Path path = folder.resolve(name);
        TableWriter.Options options =
                name.endsWith(".npy") ? TableWriter.Options.DEFAULT : TableWriter.Options.DEFAULT.withShardRows(1000);
        RowType type = RowType.of(DType.parse("[('id', '<i4'), ('x', '<i4')]"));
        try (TableWriter writer = TableWriter.create(path, type, options)) {
            writer.append(MemorySegment.ofArray(random(seed, size)));
        }
        return path;
    }

    private Path sample(String kind) throws IOException {
        Path path = folder.resolve(kind);
        switch (kind) {
            case "shards" -> {
                try (ShardWriter writer = ShardWriter.create(path, 4, ShardWriter.Options.DEFAULT.withShardRows(300))) {
                    writer.append(new double[1000][4]);
                }
            }
            case "bare" -> {
                Files.move(sample("shards"), path);
                Files.delete(path.resolve("corpus.json"));
            }
            case "store" -> {
                List<StoreField> fields = List.of(StoreField.bytes("a"));
                StoreOptions options = StoreOptions.DEFAULT.withChunkRows(300);
                try (StoreWriter writer = StoreWriter.create(path, fields, options)) {
                    for (int i = 0; i < 1000; i++) {
                        writer.append(List.of(random(i, i % 50)));
                    }
                    writer.commit();
                }
            }
            case "groups" -> {
                table("groups", 1, 80_000);
                Grouping.by(path, "id", true, false, Disk.real(), Progress.NONE);
            }
            default -> table(kind, 1, 80_000);
        }
        return path;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows.npy", "table", "shards", "bare", "store", "groups"})
    void aDatasetGoesUpAndDownUnchanged(String kind) throws IOException {
        Path local = sample(kind);
        Location remote = bucket.resolve("deep/" + kind);
        DatasetCopy.Report up = copy(Location.of(local), remote);
        try (Dataset dataset = Catalog.open(remote);
                Dataset original = Catalog.open(local)) {
            assertEquals(original.format(), dataset.format());
            assertEquals(original.fullFingerprint(Progress.NONE), dataset.fullFingerprint(Progress.NONE));
            assertEquals(up.fingerprint(), dataset.fingerprint());
        }
        assertTrue(
                Catalog.verify(remote, Catalog.Options.DEFAULT, Progress.NONE).isOk());
        Location elsewhere = bucket.resolve("elsewhere");
        copy(remote, elsewhere);
        Path back = folder.resolve("back" + (kind.endsWith(".npy") ? ".npy" : ""));
        DatasetCopy.Report down = copy(elsewhere, Location.of(back));
        assertEquals(up, down);
        assertFalse(Files.exists(S3Proxy.shared().files(bucket).resolve("elsewhere/.penstock-copy")));
        assertThrows(FileAlreadyExistsException.class, () -> copy(Location.of(local), remote));
        assertThrows(FileAlreadyExistsException.class, () -> copy(remote, Location.of(back)));
        assertEquals(
                up,
                DatasetCopy.of(Location.of(local), remote).withReplacing(true).run(Progress.NONE));
    }

    @ParameterizedTest
    @EnumSource(names = {"STATUS", "RESET", "CUT"})
    void someFaultyAnswersLeavesTheCopyRight(Fault fault) throws IOException {
        Path local = table("large.npy", 1, 20 << 20);
        Random random = new Random(fault.ordinal());
        proxy.fail(_ -> isOneOfSix(random) ? fault : Fault.NONE);
        Location remote = bucket.resolve("large.npy");
        copy(Location.of(local), remote);
        Path back = folder.resolve("back.npy");
        copy(remote, Location.of(back));
        assertEquals(-1, Files.mismatch(local, back));
        Location store = bucket.resolve("store");
        copy(Location.of(sample("store")), store);
        assertTrue(Catalog.verify(store, Catalog.Options.DEFAULT, Progress.NONE).isOk());
    }

    private static synchronized boolean isOneOfSix(Random random) {
        return random.nextInt(6) == 0;
    }

    /// The server has created the object, but its answer is lost.
    @Test
    void anUploadWhoseLastAnswerIsLostCounts() throws IOException {
        boolean[] isLost = new boolean[2];
        proxy.failOn((line, _) -> {
            int kind = line.startsWith("PUT ") ? 0 : 1;
            boolean isWrite = line.startsWith("PUT ") || line.startsWith("POST ") && line.contains("uploadId=");
            if (!isWrite || isLost[kind]) {
                return Fault.NONE;
            }
            isLost[kind] = true;
            return Fault.RESET;
        });
        copy(Location.of(table("small.npy", 1, 8000)), bucket.resolve("small.npy"));
        copy(Location.of(table("large.npy", 1, 10 << 20)), bucket.resolve("large.npy"));
        assertArrayEquals(new boolean[] {true, true}, isLost);
    }

    @Test
    void aFailedUploadLeavesNoPartsAndNoDataset() throws IOException {
        Path local = table("large.npy", 1, 20 << 20);
        Location remote = bucket.resolve("large.npy");
        proxy.status(403);
        proxy.failOn((line, _) -> line.contains("partNumber=3") ? Fault.STATUS : Fault.NONE);
        AccessDeniedException denied =
                assertThrows(AccessDeniedException.class, () -> copy(Location.of(local), remote));
        assertEquals(remote.toString(), denied.getFile());
        StringWriter trace = new StringWriter();
        denied.printStackTrace(new PrintWriter(trace));
        assertFalse(trace.toString().contains("Signature") || trace.toString().contains(S3Proxy.SECRET));
        assertEquals(0, unfinishedCount());
        assertThrows(IOException.class, () -> Catalog.open(remote));
    }

    private int unfinishedCount() throws IOException {
        return S3Proxy.shared()
                .client()
                .listMultipartUploads(request -> request.bucket(S3Server.bucket(bucket)))
                .uploads()
                .size();
    }

    @Test
    void wrongBytesThatArriveAreFound() throws IOException {
        Location remote = bucket.resolve("table");
        copy(Location.of(table("table", 1, 80_000)), remote);
        proxy.failOn((line, _) -> line.contains("00003.npy") ? Fault.WRONG_BYTE : Fault.NONE);
        Path back = folder.resolve("back");
        DatasetException wrong = assertThrows(DatasetException.class, () -> copy(remote, Location.of(back)));
        assertEquals(Reason.CHECKSUM, wrong.reason());
        assertFalse(Files.exists(back));
    }

    @ParameterizedTest
    @ValueSource(strings = {"small.npy", "large.npy", "table"})
    void ofTwoUploadsAtOnceOneWins(String kind) throws Exception {
        Location remote = bucket.resolve(kind);
        int size = kind.startsWith("large") ? 10 << 20 : 80_000;
        List<Path> locals = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Path made = table(kind, i, size);
            locals.add(Files.move(made, folder.resolve(i + kind)));
        }
        CountDownLatch start = new CountDownLatch(1);
        List<Path> winners = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Path>> copies = new ArrayList<>();
            for (Path local : locals) {
                copies.add(threads.submit(() -> {
                    start.await();
                    copy(Location.of(local), remote);
                    return local;
                }));
            }
            start.countDown();
            for (Future<Path> one : copies) {
                try {
                    winners.add(one.get());
                } catch (ExecutionException e) {
                    assertEquals(FileAlreadyExistsException.class, e.getCause().getClass());
                }
            }
        }
        assertEquals(1, winners.size());
        try (Dataset won = Catalog.open(winners.getFirst());
                Dataset there = Catalog.open(remote)) {
            assertEquals(won.fullFingerprint(Progress.NONE), there.fullFingerprint(Progress.NONE));
        }
        assertTrue(
                Catalog.verify(remote, Catalog.Options.DEFAULT, Progress.NONE).isOk());
        assertEquals(0, unfinishedCount());
    }

    @Test
    void aFolderThatIsBeingCopiedIsNotOpened() throws IOException {
        Path bare = sample("bare");
        Location remote = bucket.resolve("bare");
        S3Proxy.shared().put(remote.resolve(".penstock-copy"), "{}".getBytes());
        for (String name : List.of("first.shard", "second.shard")) {
            S3Proxy.shared().put(remote.resolve(name), Files.readAllBytes(firstFile(bare)));
        }
        DatasetException.WrongFormat unfinished =
                assertThrows(DatasetException.WrongFormat.class, () -> Catalog.open(remote));
        assertTrue(unfinished.getMessage().contains("copy to this folder"), unfinished::getMessage);
        FileAlreadyExistsException other =
                assertThrows(FileAlreadyExistsException.class, () -> copy(Location.of(bare), remote));
        assertTrue(other.getMessage().contains("of other data"), other::getMessage);
        DatasetCopy.of(Location.of(bare), remote).withReplacing(true).run(Progress.NONE);
    }

    private static Path firstFile(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().findFirst().orElseThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"large.npy", "store"})
    void aKilledUploadIsContinued(String kind) throws Exception {
        Path local = kind.equals("store") ? sample(kind) : table(kind, 1, 40 << 20);
        Location remote = bucket.resolve(kind);
        // Enough for some of the parts.
        proxy.slow(20, 4_000_000);
        CountDownLatch several = new CountDownLatch(3);
        proxy.failOn((line, _) -> {
            if (line.startsWith("PUT ")) {
                several.countDown();
            }
            return Fault.NONE;
        });
        Process process = child("copy", local.toString(), remote.toString());
        assertTrue(several.await(300, TimeUnit.SECONDS));
        process.destroyForcibly().waitFor();
        proxy.slow(0, Long.MAX_VALUE);
        assertThrows(Exception.class, () -> Catalog.open(remote));
        DatasetCopy.Report report = copy(Location.of(local), remote);
        assertTrue(report.keptBytes() > 0, report.toString());
        Location other = bucket.resolve("uninterrupted");
        assertEquals(report.fingerprint(), copy(Location.of(local), other).fingerprint());
        assertTrue(
                Catalog.verify(remote, Catalog.Options.DEFAULT, Progress.NONE).isOk());
        assertEquals(0, unfinishedCount());
    }

    @Test
    void aKilledDownloadIsContinued() throws Exception {
        Path local = table("large.npy", 1, 40 << 20);
        Location remote = bucket.resolve("large.npy");
        copy(Location.of(local), remote);
        proxy.slow(20, 4_000_000);
        Path back = folder.resolve("back.npy");
        Process process = child("copy", remote.toString(), back.toString());
        Path progress = folder.resolve(".back.npy.converting/copied.txt");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        while ((!Files.exists(progress) || Files.size(progress) == 0) && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        process.destroyForcibly().waitFor();
        proxy.slow(0, Long.MAX_VALUE);
        assertFalse(Files.exists(back));
        assertTrue(copy(remote, Location.of(back)).keptBytes() > 0);
        assertEquals(-1, Files.mismatch(local, back));
    }

    private static Process child(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add("dev.penstock.app.Main");
        command.addAll(List.of(words));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Test
    void aManifestCannotNameFilesElsewhere() throws IOException {
        Location remote = bucket.resolve("table");
        copy(Location.of(table("table", 1, 80_000)), remote);
        Path manifest = S3Proxy.shared().files(bucket).resolve("table/manifest.json");
        String hostile = Files.readString(manifest).replaceFirst("\"file\":\"[^\"]*\"", "\"file\":\"../secret.npy\"");
        String body = hostile.substring(0, hostile.lastIndexOf("\"crc32c\""));
        int crc = Crc32c.of(MemorySegment.ofArray(body.getBytes()));
        S3Proxy.shared()
                .put(
                        remote.resolve("manifest.json"),
                        (body + "\"crc32c\":\"" + String.format("%08x", crc) + "\"}\n").getBytes());
        assertThrows(DatasetException.Corrupt.class, () -> Catalog.open(remote));
        assertThrows(DatasetException.class, () -> copy(remote, Location.of(folder.resolve("back"))));
    }
}
