// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.app.DemoCommand.secondsSince;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// Packs many files, verifies the pack and reads it in random batches.
record PackDemo(DemoCommand demo) {
    private static final int FILE_COUNT = 1000;
    private static final int SIZE_MAX = 16_000;
    private static final int BATCH_SIZE = 256;
    private static final double STEADY_SECONDS = 0.3;

    boolean run(Path folder) throws IOException {
        List<Path> files = writeFiles(Files.createDirectory(folder.resolve("files")));
        Path pack = folder.resolve("files.a2pack");
        build(folder.resolve("files"), pack);
        boolean isOk = verify(pack);
        drawBatches(pack, files);
        return isOk;
    }

    private List<Path> writeFiles(Path folder) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        List<Path> files = new ArrayList<>();
        long totalBytes = 0;
        for (int i = 0; i < FILE_COUNT; i++) {
            byte[] content = new byte[random.nextInt(SIZE_MAX)];
            random.nextBytes(content);
            Path file = folder.resolve(String.format(Locale.ROOT, "record-%05d.bin", i));
            Files.write(file, content);
            files.add(file);
            totalBytes += content.length;
        }
        demo.show(
                "files",
                (long) FILE_COUNT,
                "  wrote    " + Text.number(FILE_COUNT) + " files of 0 to " + SIZE_MAX / 1000 + " KB, "
                        + Text.bytes(totalBytes));
        demo.note("bytes", totalBytes);
        return files;
    }

    private void build(Path input, Path pack) throws IOException {
        long start = System.nanoTime();
        PackBuilder.Result result;
        try (ProgressBar progress = demo.progress("pack", ProgressBar.Unit.FILES)) {
            result = PackBuilder.build(
                    input,
                    pack,
                    true,
                    PackWriter.Options.DEFAULT.withAlignment(64),
                    Parallel.defaultThreads(),
                    progress);
        }
        double seconds = secondsSince(start);
        demo.show(
                "packSeconds",
                seconds,
                "  packed   them into one file of " + Text.bytes(Files.size(pack)) + " in " + Text.seconds(seconds)
                        + ", " + Text.bytes((long) (result.inputBytes() / seconds)) + "/s, durable on disk");
    }

    private boolean verify(Path path) throws IOException {
        long start = System.nanoTime();
        try (PackReader pack = PackReader.open(path)) {
            double openSeconds = secondsSince(start);
            Verification verification = pack.verify(Progress.NONE);
            double seconds = secondsSince(start);
            demo.show(
                    "openSeconds",
                    openSeconds,
                    String.format(
                            Locale.ROOT,
                            "  opened   it in %.1f ms; its fingerprint is %s",
                            openSeconds * 1e3,
                            pack.fingerprint()));
            demo.show(
                    "verifySeconds",
                    seconds,
                    "  verified " + Text.number(pack.count()) + " records, every byte, in " + Text.seconds(seconds)
                            + ": " + VerificationText.count(verification));
            return verification.isOk();
        }
    }

    private void drawBatches(Path path, List<Path> files) throws IOException {
        DemoRate ours = gather(path);
        DemoRate floor = readFiles(files);
        double records = ours.callsPerSecond() * BATCH_SIZE;
        demo.show(
                "recordsPerSecond",
                records,
                "  read     random batches of " + BATCH_SIZE + " records: " + rates(records, ours));
        demo.show(
                "floorRecordsPerSecond",
                floor.callsPerSecond(),
                "  floor    plain reading of the same files:  " + rates(floor.callsPerSecond(), floor));
        double ratio = records / floor.callsPerSecond();
        demo.show("ratio", ratio, String.format(Locale.ROOT, "  The pack is %.1f times as fast as the files", ratio));
        demo.note("bytesPerSecond", ours.bytesPerSecond());
        demo.note("floorBytesPerSecond", floor.bytesPerSecond());
    }

    private static String rates(double recordsPerSecond, DemoRate rate) {
        return Text.number((long) recordsPerSecond) + " records/s, " + Text.bytes((long) rate.bytesPerSecond()) + "/s";
    }

    /// Random batches. The checksum of each record is checked.
    private static DemoRate gather(Path path) throws IOException {
        SplittableRandom random = new SplittableRandom(2);
        long[] indices = new long[BATCH_SIZE];
        try (PackReader pack = PackReader.open(path);
                Batch batch = Batch.create(pack.fields())) {
            return DemoRate.of(STEADY_SECONDS, () -> {
                for (int i = 0; i < BATCH_SIZE; i++) {
                    indices[i] = random.nextLong(pack.count());
                }
                pack.gather(indices, batch);
                return batch.column(0).valueBytes();
            });
        }
    }

    private static DemoRate readFiles(List<Path> files) throws IOException {
        SplittableRandom random = new SplittableRandom(2);
        return DemoRate.of(STEADY_SECONDS, () -> Files.readAllBytes(files.get(random.nextInt(files.size()))).length);
    }
}
