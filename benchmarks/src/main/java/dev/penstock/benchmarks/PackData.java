// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Codec;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackFormat;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackScan;
import dev.penstock.pack.PackWriter;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// The data of the pack benchmark: a folder of files, and packs made from it.
///
/// The folder is made once and kept. The packs are made again by each process that needs them, because our own
/// writer makes them.
final class PackData {
    static final int ENTRY_COUNT = 100_000;

    private static final int SIZE_MIN = 40 << 10;
    private static final int SIZE_LIMIT = (80 << 10) + 1;
    private static final int FILES_PER_FOLDER = 1000;
    private static final int TINY_SIZE = 16;
    private static final int SMALL_SIZE_MIN = 1280;
    private static final int SMALL_SIZE_LIMIT = 1793;
    private static final int SMALL_COUNT = 350_000;
    private static final int STORE_BATCH = 1000;

    /// The largest number of records of the compressed packs, because they take long to make.
    private static final int COMPRESSED_COUNT_MAX = 5000;

    /// In each block of this size some bytes are noise and the rest is one of some phrases, so that about half of
    /// it compresses away.
    private static final int BLOCK_SIZE = 64;

    private static final int NOISE_SIZE = 24;
    private static final int PHRASE_COUNT = 16;

    private final Settings settings;
    private final Report report;
    private final byte[] phrases = new byte[PHRASE_COUNT * BLOCK_SIZE];
    private Path pack;

    PackData(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
        new SplittableRandom(1).nextBytes(phrases);
    }

    /// The options of every pack here, except the codec.
    static PackWriter.Options writing() {
        return PackWriter.Options.DEFAULT
                .withAlignment(PackFormat.ALIGNMENT_DEFAULT)
                .withReplacing(true);
    }

    int recordCount() {
        return settings.records();
    }

    /// The path of a file that a benchmark makes.
    Path file(String name) throws IOException {
        return Files.createDirectories(settings.dir()).resolve(name);
    }

    /// The folder of files: sizes from 40 to 80 KiB, a thousand files in each subfolder.
    Path folder() throws IOException {
        Path folder = file("files-" + recordCount());
        Path isComplete = file("files-" + recordCount() + ".complete");
        if (!Files.exists(isComplete)) {
            report.note("making " + recordCount() + " files in " + folder);
            Parallel.run(Math.ceilDiv(recordCount(), FILES_PER_FOLDER), Parallel.defaultThreads(), part -> {
                makeFiles(folder, (int) part);
            });
            Files.writeString(isComplete, "");
        }
        return folder;
    }

    private void makeFiles(Path folder, int part) throws IOException {
        Path subfolder = Files.createDirectories(folder.resolve(String.format(Locale.ROOT, "%04d", part)));
        int limit = Math.min(recordCount(), (part + 1) * FILES_PER_FOLDER);
        for (int i = part * FILES_PER_FOLDER; i < limit; i++) {
            Files.write(subfolder.resolve(String.format(Locale.ROOT, "%08d.bin", i)), content(i));
        }
    }

    private byte[] content(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] content = new byte[random.nextInt(SIZE_MIN, SIZE_LIMIT)];
        random.nextBytes(content);
        for (int at = NOISE_SIZE; at + BLOCK_SIZE <= content.length; at += BLOCK_SIZE) {
            int phrase = random.nextInt(PHRASE_COUNT) * BLOCK_SIZE;
            System.arraycopy(phrases, phrase, content, at, BLOCK_SIZE - NOISE_SIZE);
        }
        return content;
    }

    /// The folder as a pack, uncompressed, with checksums.
    Path pack() throws IOException {
        if (pack == null) {
            Path made = file("records.pack");
            PackBuilder.build(folder(), made, true, writing(), Parallel.defaultThreads(), Progress.NONE);
            pack = made;
        }
        return pack;
    }

    int compressedCount() {
        return Math.min(recordCount(), COMPRESSED_COUNT_MAX);
    }

    /// The first records of [#pack], compressed.
    Path compressedPack(Codec codec) throws IOException {
        Path target = file(codec.word() + ".pack");
        try (PackReader source = PackReader.open(pack());
                PackScan scan = source.scan();
                PackWriter writer = PackWriter.create(target, writing().withCodec(codec, 0))) {
            while (scan.next() && scan.index() < compressedCount()) {
                writer.append(PackKind.OPAQUE, scan.value());
            }
        }
        return target;
    }

    /// A pack of half a gigabyte in records of about 1.5 KiB, with the default alignment.
    Path smallPack() throws IOException {
        Path target = file("small.pack");
        report.note("making " + target.getFileName());
        SplittableRandom random = new SplittableRandom(2);
        try (PackWriter writer = PackWriter.create(target, writing())) {
            for (int i = 0; i < SMALL_COUNT; i++) {
                byte[] record = new byte[random.nextInt(SMALL_SIZE_MIN, SMALL_SIZE_LIMIT)];
                random.nextBytes(record);
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
        }
        return target;
    }

    /// The records of a pack in a store of one field.
    Path smallStore(Path pack) throws IOException {
        Path target = file("small.store");
        report.note("making " + target.getFileName());
        StoreBenchmark.delete(target);
        StoreOptions options = StoreOptions.DEFAULT.withDurability(StoreOptions.Durability.NONE);
        try (PackReader reader = PackReader.open(pack);
                Batch batch = Batch.create(reader.fields());
                StoreWriter writer = StoreWriter.create(target, List.of(StoreField.bytes("value")), options)) {
            for (long first = 0; first < reader.count(); first += STORE_BATCH) {
                long limit = Math.min(reader.count(), first + STORE_BATCH);
                reader.gather(LongStream.range(first, limit).toArray(), batch);
                writer.appendAll(batch);
                writer.commit();
            }
        }
        return target;
    }

    /// The average size of a record of [#smallPack] in bytes.
    static double smallSize() {
        return (SMALL_SIZE_MIN + SMALL_SIZE_LIMIT - 1) / 2.0;
    }

    /// A pack of [#ENTRY_COUNT] tiny records.
    Path entriesPack() throws IOException {
        Path target = file("entries.pack");
        try (PackWriter writer = PackWriter.create(target, writing().withAlignment(1))) {
            for (long i = 0; i < ENTRY_COUNT; i++) {
                byte[] record = new byte[TINY_SIZE];
                new SplittableRandom(i).nextBytes(record);
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
        }
        return target;
    }
}
