// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.StoredRecords;
import dev.penstock.Verification;
import dev.penstock.memory.Codec;
import dev.penstock.memory.FormatOptions;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// An open pack.
///
/// Its records have one field, `value`: bytes of any number. Opening checks header, index and footer; each read
/// checks the record's own checksum where it has one.
///
/// **Ownership.** Owns the mapping. A row of an uncompressed record is a view into it and dies with the reader.
///
/// **Threads.** Any number, as [Dataset] says.
public final class PackReader implements StoredRecords {
    /// The one field of every pack.
    public static final Field VALUE = Field.variable("value", ElementType.BYTES);

    private static final List<Field> FIELDS = List.of(VALUE);

    /// How to read a pack.
    ///
    /// @param reading           what all formats share
    /// @param isCheckingEntries whether each read is held against the record's checksum; may be switched off
    ///                          after a [#verify]
    public record Options(ReaderOptions reading, boolean isCheckingEntries) implements FormatOptions<Options> {
        public static final Options DEFAULT = new Options(ReaderOptions.DEFAULT, true);

        @Override
        public Options withReading(ReaderOptions reading) {
            return new Options(reading, isCheckingEntries);
        }

        public Options withCheckingEntries(boolean isCheckingEntries) {
            return new Options(reading, isCheckingEntries);
        }
    }

    private final Options options;
    private final OpenFile file;
    private final PackFooter footer;
    private final PackSummary summary;
    private final PackIndex index;
    private final PackNames names;
    private final PackRecords records;

    private PackReader(
            Options options, OpenFile file, PackFooter footer, PackSummary summary, PackIndex index, PackNames names) {
        this.options = options;
        this.file = file;
        this.footer = footer;
        this.summary = summary;
        this.index = index;
        this.names = names;
        this.records = new PackRecords(file, index, options.isCheckingEntries());
    }

    /// Opens a pack.
    ///
    /// @throws DatasetException when it is none, or damaged
    public static PackReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a pack in a certain way.
    public static PackReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a pack that is a local file, or an object of the store of the options.
    public static PackReader open(Location location, Options options) throws IOException {
        OpenFile file = OpenFile.open(location, options.reading());
        try {
            return file.use(() -> read(options, file));
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Checks in the order of the original, so that a damaged pack gets the same verdict.
    private static PackReader read(Options options, OpenFile file) throws IOException {
        PackHeader header = PackHeader.read(file);
        long count = header.count();
        PackChecks.requireRoom(file, count);
        PackFooter footer = PackFooter.read(file);
        PackSummary summary = PackSummary.read(file, count);
        PackChecks.requireConsistent(file, count, footer, summary);
        long namesLimit = count == 0 ? file.size() - PackFormat.FOOTER_SIZE : summary.offsetMin();
        PackNames names = header.hasNames() ? PackNames.open(file, count, namesLimit) : null;
        PackIndex index = PackIndex.of(file, count);
        return new PackReader(options, file, footer, summary, index, names);
    }

    @Override
    public String format() {
        return "pack";
    }

    @Override
    public int version() {
        return PackFormat.VERSION;
    }

    @Override
    public Location location() {
        return file.location();
    }

    @Override
    public long count() {
        return index.count();
    }

    @Override
    public long bytes() {
        return file.size();
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    /// What the index says about a record.
    public PackEntry entry(long recordIndex) {
        return file.use(() -> index.entry(recordIndex));
    }

    /// Bytes of a record once it is expanded, held against the limits: so much may be set aside for it.
    ///
    /// @throws DatasetException when the entry cannot be right
    public long size(long recordIndex) {
        return file.use(() -> index.readable(recordIndex).rawSize());
    }

    /// [#size], from the index, which knows it for compressed records too.
    @Override
    public long length(Field field, long recordIndex) {
        if (!field.equals(VALUE)) {
            throw new IllegalArgumentException("a pack has one field, " + VALUE + ", and no " + field);
        }
        return size(recordIndex);
    }

    @Override
    public Optional<Place> place(long recordIndex) {
        PackEntry entry = entry(recordIndex);
        boolean isPlain = entry.isReadable() && entry.codec() == Codec.NONE;
        return isPlain ? Optional.of(new Place(entry.offset(), entry.storedSize())) : Optional.empty();
    }

    /// What a record is.
    ///
    /// @throws DatasetException.Corrupt when the index gives a kind that nobody knows
    public PackKind kind(long recordIndex) {
        int code = entry(recordIndex).kindCode();
        return PackKind.of(code)
                .orElseThrow(() -> new DatasetException.Corrupt(
                        location(),
                        PackIndex.entryOffset(recordIndex) + PackEntry.KIND_OFFSET,
                        Reason.UNKNOWN_KIND,
                        "malformed packfile: unknown kind " + code + " of record " + recordIndex));
    }

    /// The path the record had in the folder it was packed from, or null when the pack keeps no names.
    @Override
    public String name(long recordIndex) {
        if (names == null) {
            Objects.checkIndex(recordIndex, count());
            return null;
        }
        return file.use(() -> names.name(recordIndex));
    }

    @Override
    public Row get(long recordIndex) throws IOException {
        return file.use(() -> new Row(recordIndex, List.of(records.view(recordIndex))));
    }

    /// Copies one record.
    ///
    /// @param target memory for at least [#size] bytes
    /// @return the bytes written
    public long read(long recordIndex, MemorySegment target) throws IOException {
        return file.use(() -> records.copy(recordIndex, target));
    }

    /// Copies a part of a record that is stored uncompressed, without checking the record's checksum.
    ///
    /// @param start the first wanted byte of the record
    /// @throws IndexOutOfBoundsException when the record has no such part
    /// @throws IllegalArgumentException  when the record is compressed
    public void readPart(long recordIndex, long start, MemorySegment target) throws IOException {
        file.use(() -> {
            records.copyPart(recordIndex, start, target);
            return null;
        });
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        gather(indices, batch, options.threads());
    }

    /// [#gather] with a number of threads of its own.
    void gather(MemorySegment indices, Batch batch, int threads) throws IOException {
        batch.clear();
        file.use(() -> {
            records.gather(indices, batch, threads);
            return null;
        });
    }

    /// All records in order, tombstones left out, read ahead by several threads.
    public PackScan scan() {
        return new PackScan(this, options.threads());
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return file.use(() -> new PackVerifier(file, index, names, footer, options.threads()).verify(progress));
    }

    /// Checks the structure and so many records, evenly spaced, the first and the last among them.
    public Verification verifySample(long sampleCount) throws IOException {
        return file.use(
                () -> new PackVerifier(file, index, names, footer, options.threads()).verifySample(sampleCount));
    }

    /// Counts and sizes of the records, from the index alone.
    public PackStats stats() {
        return file.use(() -> PackStats.of(index, summary));
    }

    /// Of header and index, since the index holds a checksum of each record. Where it does not, samples of the
    /// data are added.
    @Override
    public String fingerprint() throws IOException {
        return file.use(() -> {
            Fingerprint fingerprint = new Fingerprint("pack 1");
            file.forEachPiece(0, PackFormat.indexEnd(count()), fingerprint::add);
            if (hasSampledData()) {
                long start = summary.offsetMin();
                fingerprint.addSample(footer.dataEnd() - start, (at, target) -> file.read(start + at, target));
            }
            return fingerprint.text();
        });
    }

    /// The smallest offset is negative when every record is one whose end wraps around; there is no data then.
    private boolean hasSampledData() {
        return summary.uncheckedCount() > 0 && summary.offsetMin() >= 0;
    }

    @Override
    public boolean isFingerprintExact() {
        return !hasSampledData() || footer.dataEnd() - summary.offsetMin() <= Fingerprint.SAMPLED_WHOLE_MAX;
    }

    /// Packs have no metadata.
    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("opaque", summary.count(PackKind.OPAQUE));
        facts.put("runV1", summary.count(PackKind.RUN_V1));
        facts.put("runV2", summary.count(PackKind.RUN_V2));
        facts.put("unknownKind", summary.unknownKindCount());
        facts.put("tombstones", summary.tombstoneCount());
        facts.put("zstd", summary.count(Codec.ZSTD));
        facts.put("lz4", summary.count(Codec.LZ4));
        facts.put("storedBytes", summary.storedBytes());
        facts.put("rawBytes", summary.rawBytes());
        facts.put("withoutChecksum", summary.uncheckedCount());
        facts.put("names", names != null);
        return facts;
    }

    /// The bytes a caller of the writer added behind the data, if there are any and they lie before the footer.
    public Optional<byte[]> statsBlock() throws IOException {
        return file.use(() -> PackChecks.statsBlock(file, footer));
    }

    @Override
    public void prepare() {
        file.use(() -> {
            file.prepare();
            return null;
        });
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        file.use(() -> {
            records.announce(firstIndex, recordCount);
            return null;
        });
    }

    @Override
    public void close() {
        file.close();
        records.close();
    }
}
