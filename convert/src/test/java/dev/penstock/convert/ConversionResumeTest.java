// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static dev.penstock.convert.ConversionSamples.content;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.catalog.SampleDatasets;
import dev.penstock.file.ChildJava;
import dev.penstock.file.FileInUseException;
import dev.penstock.store.MountedDisk;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A conversion that stops before the end leaves no target, and goes on when it is started again.
@ExtendWith(Seeds.class)
@Tag("full")
class ConversionResumeTest {
    private static final long ROWS = 60_000;
    private static final long WIDTH = 160;
    private static final TargetOptions SHARDED = TargetOptions.DEFAULT.withShards(10_000L, null);

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    /// A source that fails, or waits for ever, before the record at `stop`.
    private record Interrupted(RecordSource whole, long stop, boolean isWaiting) implements RecordSource {
        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public List<Field> fields() {
            return whole.fields();
        }

        @Override
        public String fingerprint() throws IOException {
            return whole.fingerprint();
        }

        @Override
        public Optional<Dataset> dataset() {
            return whole.dataset();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            AtomicLong readCount = new AtomicLong();
            whole.forEach(
                    (indices, batch) -> {
                        long last =
                                indices == null ? readCount.addAndGet(batch.rowCount()) : indices[indices.length - 1];
                        if (last >= stop) {
                            interrupt();
                        }
                        receiver.accept(indices, batch);
                    },
                    progress);
        }

        private void interrupt() throws IOException {
            if (!isWaiting) {
                throw new IOException("interrupted");
            }
            System.out.println("waiting");
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            whole.close();
        }
    }

    /// Converts to a store and waits before the end.
    static final class Child {
        public static void main(String[] args) throws IOException {
            convert(Path.of(args[0]), Path.of(args[1]), "store", ROWS * 2 / 3, true);
        }
    }

    private static Conversion.Report convert(Path source, Path target, String format, long stop, boolean isWaiting)
            throws IOException {
        RecordSource whole = Sources.open(source, SourceOptions.DEFAULT);
        try (RecordSource records = new Interrupted(whole, stop, isWaiting)) {
            return Conversion.of(records, target, format, options(format)).run(Progress.NONE, Progress.NONE);
        }
    }

    private static TargetOptions options(String format) {
        return format.equals("table") || format.equals("shards") ? SHARDED : TargetOptions.DEFAULT;
    }

    private Path source() throws IOException {
        return SampleDatasets.floats(folder.resolve("source.npy"), ROWS, WIDTH, random);
    }

    @ParameterizedTest
    @ValueSource(strings = {"store", "table", "shards"})
    void anInterruptedConversionGoesOnBehindTheLastCommit(String format) throws IOException {
        Path source = source();
        Path target = folder.resolve("target");
        assertThrows(IOException.class, () -> convert(source, target, format, ROWS * 2 / 3, false));
        assertFalse(Files.exists(target), "nothing appears before the end");
        assertTrue(Conversion.unfinished(target).isPresent());
        Conversion.Report report = convert(source, target, format, Long.MAX_VALUE, false);
        assertTrue(report.resumedAt() > 0 && report.resumedAt() < ROWS, "resumed at " + report.resumedAt());
        assertEquals(content(source), content(target));
        assertTrue(Conversion.unfinished(target).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"target.a2pack", "target.npy"})
    void aSingleFileStartsAgain(String name) throws IOException {
        Path source = SampleDatasets.floats(folder.resolve("source.npy"), 5000, WIDTH, random);
        Path target = folder.resolve(name);
        RecordSource whole = Sources.open(source, SourceOptions.DEFAULT);
        try (RecordSource records = new Interrupted(whole, 4000, false)) {
            Conversion conversion = Conversion.of(records, target, null, TargetOptions.DEFAULT);
            assertThrows(IOException.class, () -> conversion.run(Progress.NONE, Progress.NONE));
        }
        assertTrue(Conversion.unfinished(target).isEmpty());
        assertEquals(0, ConversionSamples.convert(source, target, null).resumedAt());
    }

    @Test
    void aKilledProcessLeavesWhatItCommitted() throws IOException, InterruptedException {
        Path source = source();
        Process child = new ProcessBuilder(ChildJava.command(folder, Child.class, source, folder.resolve("target")))
                .redirectErrorStream(true)
                .start();
        try {
            assertEquals("waiting", child.inputReader().readLine());
            assertThrows(
                    FileInUseException.class,
                    () -> convert(source, folder.resolve("target"), "store", Long.MAX_VALUE, false));
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertFalse(Files.exists(folder.resolve("target")));
        Conversion.Report report = convert(source, folder.resolve("target"), "store", Long.MAX_VALUE, false);
        assertTrue(report.resumedAt() > 0, "nothing was committed");
        assertEquals(content(source), content(folder.resolve("target")));
        try (StoreReader store = StoreReader.open(folder.resolve("target"))) {
            StoreStats stats = store.stats(Progress.NONE);
            assertTrue(stats.byteUtilisation() > 0.7, "what the killed process left is given back: " + stats);
        }
    }

    @Test
    void aConversionOfAnotherSourceStartsAgain() throws IOException {
        Path source = source();
        Path target = folder.resolve("target");
        assertThrows(IOException.class, () -> convert(source, target, "table", ROWS / 2, false));
        Path other = SampleDatasets.floats(folder.resolve("other.npy"), 500, 3, random);
        Conversion.Report report = convert(other, target, "table", Long.MAX_VALUE, false);
        assertEquals(0, report.resumedAt());
        assertEquals(content(other), content(target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "shards"})
    void damageToCommittedRowsIsFoundWhenTheTargetIsCompared(String format) throws IOException {
        Path source = source();
        Path target = folder.resolve("target");
        assertThrows(IOException.class, () -> convert(source, target, format, ROWS / 2, false));
        Path unfinished = Conversion.unfinished(target).orElseThrow().resolve("target");
        Path shard;
        try (Stream<Path> files = Files.list(unfinished)) {
            shard = files.filter(file -> !file.toString().endsWith(".json"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        try (FileChannel channel = FileChannel.open(shard, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, 5000);
            channel.write(one.put(0, (byte) ~one.get(0)).rewind(), 5000);
        }
        DatasetException.Corrupt error = assertThrows(
                DatasetException.Corrupt.class, () -> convert(source, target, format, Long.MAX_VALUE, false));
        assertTrue(error.getMessage().contains("values of field value differ"), error.getMessage());
        assertFalse(Files.exists(target));
        assertTrue(Conversion.unfinished(target).isEmpty(), "what differs is not kept");
    }

    @Test
    void aFullDiskIsAnErrorAndTheConversionGoesOnLater() throws IOException, InterruptedException {
        Path source = source();
        try (MountedDisk disk = MountedDisk.inMemory(folder, 50)) {
            Path ballast = disk.folder().resolve("ballast");
            Files.write(ballast, new byte[30 << 20]);
            Path target = disk.folder().resolve("target");
            IOException error =
                    assertThrows(IOException.class, () -> convert(source, target, "table", Long.MAX_VALUE, false));
            assertTrue(error.getMessage().contains("space"), error.getMessage());
            Files.delete(ballast);
            assertTrue(convert(source, target, "table", Long.MAX_VALUE, false).resumedAt() > 0);
            assertEquals(content(source), content(target));
        }
    }
}
