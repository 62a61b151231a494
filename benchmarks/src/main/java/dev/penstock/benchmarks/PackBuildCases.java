// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackScan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// How fast is a folder packed and put on disk, beside `tar` and an fsync of what it wrote?
///
/// Before each side all dirty pages are written out, so that neither pays for the other. The files are in the page
/// cache for both.
final class PackBuildCases {
    static final String FLOOR = "tar cf, sync FILE FOLDER";

    private PackBuildCases() {}

    static void run(Settings settings, PackData data, Report report) throws Exception {
        Path folder = data.folder();
        Times times = new SideBySide(
                        new Ours(folder, data.file("build.pack")), new Floor(folder, data.file("build.tar")))
                .warmUps(1)
                .measure(settings.roundsOr(7));
        Files.deleteIfExists(data.file("build.pack"));
        Files.deleteIfExists(data.file("build.tar"));
        report.add(times.megabytes(PackBenchmark.NAME, "build", FLOOR));
        report.add(times.things(PackBenchmark.NAME, "build", "records/s", data.recordCount(), FLOOR));
    }

    static void makeReady(Path target) throws IOException, InterruptedException {
        Files.deleteIfExists(target);
        Command.run("sync");
    }

    private static final class Ours implements SideBySide.Side {
        private final Path folder;
        private final Path target;
        private long inputBytes;

        Ours(Path folder, Path target) {
            this.folder = folder;
            this.target = target;
        }

        @Override
        public void prepare() throws Exception {
            makeReady(target);
        }

        @Override
        public long run() throws IOException {
            inputBytes = PackBuilder.build(
                            folder, target, true, PackData.writing(), Parallel.defaultThreads(), Progress.NONE)
                    .inputBytes();
            return inputBytes;
        }

        /// The size of all files, if each has the same content in the pack as in the folder.
        @Override
        public long answer() throws IOException {
            long equalBytes = 0;
            try (PackReader reader = PackReader.open(target);
                    PackScan scan = reader.scan()) {
                while (scan.next()) {
                    byte[] content = Files.readAllBytes(folder.resolve(reader.name(scan.index())));
                    boolean isEqual = scan.value().mismatch(MemorySegment.ofArray(content)) == -1;
                    equalBytes += isEqual ? content.length : 0;
                }
            }
            return equalBytes;
        }
    }

    /// The baseline: `tar`, and an fsync of the archive and its folder.
    static final class Floor implements SideBySide.Side {
        private final Path folder;
        private final Path target;

        Floor(Path folder, Path target) {
            this.folder = folder;
            this.target = target;
        }

        @Override
        public void prepare() throws Exception {
            makeReady(target);
        }

        @Override
        public long run() throws Exception {
            Command.run("tar", "cf", target.toString(), "-C", folder.getParent().toString(), name());
            Command.run("sync", target.toString(), target.getParent().toString());
            return 0;
        }

        private String name() {
            return folder.getFileName().toString();
        }

        /// The size of all files. tar itself compares them with the archive and fails if they differ.
        @Override
        public long answer() throws Exception {
            Command.run("tar", "df", target.toString(), "-C", folder.getParent().toString());
            try (Stream<Path> files = Files.walk(folder)) {
                return files.filter(Files::isRegularFile)
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
        }
    }
}
