// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Codec;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.rows.RowField;
import dev.penstock.rows.RowFiles;
import dev.penstock.rows.RowGather;
import dev.penstock.rows.RowLayout;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import dev.penstock.tree.TreeWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// A small dataset of each kind, and all that its readers return as lines of text, for [RangeParityTest].
public enum RangeSample {
    PACK("sample.a2pack", ""),
    PACK_COMPRESSED("sample.a2pack", ""),
    TABLE("sample.npy", ""),
    TABLE_STRUCTURED("sample.npy", ""),
    TABLE_SHARDS("sample", ""),
    TABLE_SHARDS_WITHOUT_MANIFEST("sample", ""),
    TABLE_FORTRAN("sample.npy", ""),
    TABLE_IN_ARCHIVE("sample.npz", "inner/values"),
    TREE("sample.act", ""),
    ROWS("sample.rows", "");

    private static final RowType PLAIN = new RowType(DType.parse("'<f4'"), List.of(3L));
    private static final RowType STRUCTURED =
            RowType.of(DType.parse("[('id', '<u8'), ('big', '>i4', (2,)), ('tag', '|S5'), ('x', '<f4')]"));
    private static final int COUNT = 3000;

    /// Large enough that every second record is not read as a neighbour of the previous one.
    private static final int WIDE = 24 << 10;

    private static final int WIDE_COUNT = 256;

    private final String fileName;
    private final String member;

    RangeSample(String fileName, String member) {
        this.fileName = fileName;
        this.member = member;
    }

    public String fileName() {
        return fileName;
    }

    /// The location of the dataset, given its file.
    public Location in(Location file) {
        return member.isEmpty() ? file : file.resolve(member);
    }

    /// An action between opening and reading.
    interface Step {
        void run();
    }

    /// Writes the sample and returns its path.
    public Path write(Path folder) throws IOException {
        Path file = folder.resolve(fileName);
        Random random = new Random(ordinal());
        switch (this) {
            case PACK, PACK_COMPRESSED -> writePack(file, random, 1200, 900);
            case TABLE -> writeTable(file, PLAIN, random, COUNT);
            case TABLE_STRUCTURED -> writeTable(file, STRUCTURED, random, COUNT);
            case TABLE_SHARDS -> writeTable(file, STRUCTURED, random, COUNT);
            case TABLE_SHARDS_WITHOUT_MANIFEST -> {
                writeTable(file, PLAIN, random, COUNT);
                Files.delete(file.resolve("manifest.json"));
            }
            case TABLE_FORTRAN -> writeFortran(file, random);
            case TABLE_IN_ARCHIVE -> writeArchive(file, random);
            case TREE -> writeTree(file, random);
            case ROWS -> Files.write(file, bytes(random, 16 * COUNT));
        }
        return member.isEmpty() ? file : file.resolve(member);
    }

    /// Writes 256 records that are far apart for a remote store.
    Path writeWide(Path folder) throws IOException {
        Path file = folder.resolve(fileName);
        Random random = new Random(ordinal());
        RowType wide = this == TABLE
                ? new RowType(DType.parse("'<f4'"), List.of(WIDE / 4L))
                : RowType.of(DType.parse("[('id', '<u8'), ('x', '<f4', (" + (WIDE - 8) / 4 + ",))]"));
        switch (this) {
            case PACK, PACK_COMPRESSED -> writePack(file, random, WIDE_COUNT, WIDE);
            case ROWS -> Files.write(file, bytes(random, WIDE_COUNT * WIDE));
            default -> writeTable(file, wide, random, WIDE_COUNT);
        }
        return file;
    }

    private static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private void writePack(Path file, Random random, int count, int sizeMin) throws IOException {
        PackWriter.Options options = PackWriter.Options.DEFAULT.withAlignment(8);
        if (this == PACK_COMPRESSED) {
            options = options.withCodec(Codec.ZSTD, 1);
        }
        try (PackWriter writer = PackWriter.create(file, options)) {
            for (int i = 0; i < count; i++) {
                byte[] record = bytes(random, sizeMin + random.nextInt(200));
                if (this == PACK_COMPRESSED) {
                    // The record is slightly compressible, so that it is stored compressed and still large.
                    Arrays.fill(record, 0, 64, (byte) i);
                }
                writer.append("name" + i, PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
        }
    }

    private void writeTable(Path file, RowType rowType, Random random, int count) throws IOException {
        TableWriter.Options options = fileName.endsWith(".npy")
                ? TableWriter.Options.DEFAULT
                : TableWriter.Options.DEFAULT.withShardRows(count / 7).withMetadata(Map.of("made", "here"));
        try (TableWriter writer = TableWriter.create(file, rowType, options)) {
            writer.append(MemorySegment.ofArray(bytes(random, Math.toIntExact(count * rowType.size()))));
        }
    }

    private static void writeFortran(Path file, Random random) throws IOException {
        String text = "{'descr': '<f8', 'fortran_order': True, 'shape': (700, 5, 3), }";
        byte[] header = (text + " ".repeat(117 - text.length()) + "\n").getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0});
        bytes.writeBytes(header);
        bytes.writeBytes(bytes(random, 700 * 5 * 3 * 8));
        Files.write(file, bytes.toByteArray());
    }

    private static void writeArchive(Path file, Random random) throws IOException {
        Path array = file.resolveSibling("array.npy");
        try (TableWriter writer = TableWriter.create(array, PLAIN, TableWriter.Options.DEFAULT)) {
            writer.append(MemorySegment.ofArray(bytes(random, 12 * 500)));
        }
        byte[] bytes = Files.readAllBytes(array);
        Files.delete(array);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.setMethod(ZipOutputStream.STORED);
            for (String name : List.of("first.npy", "inner/values.npy")) {
                ZipEntry entry = new ZipEntry(name);
                CRC32 crc = new CRC32();
                crc.update(bytes);
                entry.setCrc(crc.getValue());
                entry.setSize(bytes.length);
                zip.putNextEntry(entry);
                zip.write(bytes);
            }
        }
    }

    private static void writeTree(Path file, Random random) throws IOException {
        List<String> keys = IntStream.range(0, 2000)
                .mapToObj(i -> "key/" + random.nextInt(100_000))
                .distinct()
                .sorted()
                .toList();
        try (TreeWriter writer = TreeWriter.create(file, TreeWriter.Options.DEFAULT)) {
            for (String key : keys) {
                writer.append(key.getBytes(StandardCharsets.US_ASCII), random.nextInt(1_000_000));
            }
        }
    }

    /// All answers of a reader about the sample.
    public List<String> answers(Location location, ReaderOptions options) throws IOException {
        return switch (this) {
            case TREE -> treeAnswers(location, options);
            case ROWS -> rowAnswers(location, options, 16, COUNT);
            default -> {
                try (Dataset dataset = open(location, options)) {
                    yield datasetAnswers(dataset);
                }
            }
        };
    }

    private Dataset open(Location location, ReaderOptions options) throws IOException {
        return this == PACK || this == PACK_COMPRESSED
                ? PackReader.open(location, PackReader.Options.DEFAULT.withReading(options))
                : TableReader.open(location, TableReader.Options.DEFAULT.withReading(options));
    }

    private static List<String> datasetAnswers(Dataset dataset) throws IOException {
        List<String> answers = new ArrayList<>();
        answers.add(dataset.format() + " " + dataset.version() + " " + dataset.count() + " " + dataset.bytes());
        answers.add(dataset.fields() + " " + dataset.metadata() + " " + dataset.facts());
        answers.add(dataset.fingerprint() + " " + dataset.isFingerprintExact());
        answers.add(dataset.fullFingerprint((done, total) -> {}));
        Verification verification = dataset.verify((done, total) -> {});
        answers.add(verification.isOk() + " " + verification.checkedBytes() + " " + verification.problemCount());
        dataset.prepare();
        dataset.prefetch(0, dataset.count());
        Random random = new Random(5);
        for (int i = 0; i < 20; i++) {
            long index = i == 0 ? dataset.count() - 1 : random.nextLong(dataset.count());
            Row row = dataset.get(index);
            answers.add(dataset.name(index) + " "
                    + row.values().stream().map(RangeSample::hex).toList());
        }
        try (Batch batch = Batch.create(dataset.fields())) {
            for (int count : new int[] {0, 1, 700, 1024}) {
                dataset.gather(random.longs(count, 0, dataset.count()).toArray(), batch);
                answers.add(columns(batch));
            }
            dataset.gather(
                    IntStream.range(0, (int) dataset.count()).asLongStream().toArray(), batch);
            answers.add(columns(batch));
        }
        return answers;
    }

    private static List<String> treeAnswers(Location location, ReaderOptions options) throws IOException {
        List<String> answers = new ArrayList<>();
        TreeReader.Options reading = TreeReader.Options.DEFAULT.withReading(options);
        try (TreeReader tree = TreeReader.open(location, reading)) {
            answers.add(tree.bytes() + " " + tree.root() + " " + tree.count() + " " + tree.stats());
            answers.add(tree.fingerprint() + " " + tree.fullFingerprint((done, total) -> {}));
            answers.add(tree.verify((done, total) -> {}).toString() + tree.isCanonical());
            TreeScan scan = tree.scan();
            while (scan.next()) {
                answers.add(HexFormat.of().formatHex(scan.path()) + " " + scan.value() + " " + tree.get(scan.path()));
            }
        }
        return answers;
    }

    /// A file of rows without a header, read through the package `rows` only.
    private static List<String> rowAnswers(Location location, ReaderOptions options, long rowSize, int count)
            throws IOException {
        List<String> answers = new ArrayList<>();
        try (RowFiles files = openRows(location, options, rowSize, count);
                RowGather gather = new RowGather(files, rowFields(rowSize))) {
            answers.add(files.count() + " " + files.rowSize());
            for (long row = 0; row < 20; row++) {
                answers.add(hex(files.view(row * 7, 1, 5)));
            }
            MemorySegment all = MemorySegment.ofArray(new byte[Math.toIntExact(count * rowSize)]);
            files.read(0, count, all);
            answers.add(hex(all));
            MemorySegment part = MemorySegment.ofArray(new byte[1000]);
            files.readBytes(333, part);
            answers.add(hex(part));
            answers.add(gatherRows(
                    gather, rowSize, new Random(5).longs(1024, 0, count).toArray()));
        }
        return answers;
    }

    private static RowFiles openRows(Location location, ReaderOptions options, long rowSize, long count)
            throws IOException {
        // The first bytes take the place of a header.
        return RowFiles.open(List.of(location), options, file -> new RowLayout.Contiguous(0, rowSize, count));
    }

    private static List<RowField> rowFields(long rowSize) {
        return List.of(
                RowField.of("id", ElementType.I64, 8, 0, 0, List.of()),
                RowField.of("x", ElementType.F32, 4, 0, rowSize - 4, List.of()));
    }

    private static String gatherRows(RowGather gather, long rowSize, long[] indices) throws IOException {
        MemorySegment target = MemorySegment.ofArray(new byte[Math.toIntExact(indices.length * rowSize)]);
        gather.read(MemorySegment.ofArray(indices), target);
        try (Batch batch =
                Batch.create(rowFields(rowSize).stream().map(RowField::field).toList())) {
            gather.gather(MemorySegment.ofArray(indices), batch);
            return hex(target) + columns(batch);
        }
    }

    /// Opens the dataset of [#writeWide], performs a step, and gathers records.
    String gather(Location location, ReaderOptions options, long[] indices, Step step) throws IOException {
        if (this == ROWS) {
            try (RowFiles files = openRows(location, options, WIDE, WIDE_COUNT);
                    RowGather gather = new RowGather(files, rowFields(WIDE))) {
                step.run();
                return gatherRows(gather, WIDE, indices);
            }
        }
        try (Dataset dataset = open(location, options);
                Batch batch = Batch.create(dataset.fields())) {
            step.run();
            dataset.gather(indices, batch);
            return columns(batch);
        }
    }

    private static String columns(Batch batch) {
        StringBuilder text = new StringBuilder().append(batch.rowCount());
        for (Column column : batch.columns()) {
            for (int row = 0; row < batch.rowCount(); row++) {
                text.append(' ').append(hex(column.value(row)));
            }
        }
        return text.toString();
    }

    /// Bytes as text; long ones as their checksum.
    private static String hex(MemorySegment bytes) {
        byte[] array = bytes.toArray(ValueLayout.JAVA_BYTE);
        if (array.length <= 64) {
            return HexFormat.of().formatHex(array);
        }
        CRC32 crc = new CRC32();
        crc.update(array);
        return array.length + ":" + Long.toHexString(crc.getValue());
    }
}
