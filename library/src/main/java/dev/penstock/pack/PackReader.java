// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.RemoteRecords;
import dev.penstock.Row;
import dev.penstock.StoredRecords;
import dev.penstock.Verification;
import dev.penstock.file.Codec;
import dev.penstock.file.FormatOptions;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.RecordRanges;
import dev.penstock.file.RemoteFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// A reader for packs.
///
/// A record has one field, `value`, of any number of bytes. Opening checks header, index and footer. Each read
/// checks the checksum of the record if it has one.
///
/// **Ownership.** Owns the mapping. A row of an uncompressed record is a view into it and is valid until the
/// reader is closed.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset][dev.penstock.Dataset].
public final class PackReader implements StoredRecords {
    /// The only field of every pack.
    public static final Field VALUE = Field.variable("value", ElementType.BYTES);

    private static final List<Field> FIELDS = List.of(VALUE);

    /// Options for reading a pack.
    ///
    /// @param reading           the options that all formats share
    /// @param isCheckingEntries whether each read checks the checksum of the record; may be turned off after a
    ///                          [#verify]
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
    private final PackGather gather;

    private PackReader(
            Options options, OpenFile file, PackFooter footer, PackSummary summary, PackIndex index, PackNames names) {
        this.options = options;
        this.file = file;
        this.footer = footer;
        this.summary = summary;
        this.index = index;
        this.names = names;
        this.records = new PackRecords(file, index, options.isCheckingEntries());
        this.gather = new PackGather(file, index, records);
    }

    /// Opens a pack.
    ///
    /// @throws DatasetException when the file is not a pack, or is damaged
    public static PackReader open(Path path) throws IOException {
        return open(path, Options.DEFAULT);
    }

    /// Opens a pack with options.
    public static PackReader open(Path path, Options options) throws IOException {
        return open(Location.of(path), options);
    }

    /// Opens a pack that is a local file, or an object of the remote store in the options.
    public static PackReader open(Location location, Options options) throws IOException {
        return OpenFile.open(location, options.reading(), file -> read(options, file));
    }

    /// Checks in the order of the original program, so that a damaged pack gives the same error.
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
    public RemoteRecords remote() {
        return RemoteFiles.of(List.of(file), new RecordRanges() {
            @Override
            public long count() {
                return index.count();
            }

            @Override
            public void forEach(long firstRecord, long recordCount, Visitor visitor) {
                for (long record = firstRecord; record < firstRecord + recordCount; record++) {
                    try {
                        PackEntry entry = index.readable(record);
                        visitor.at(file, entry.offset(), entry.storedSize());
                    } catch (DatasetException e) {
                        // Reading the record gives the error.
                    }
                }
            }
        });
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    /// The index entry of a record.
    public PackEntry entry(long recordIndex) {
        return file.use(() -> index.entry(recordIndex));
    }

    /// The decompressed size of a record, checked against the limits, so that it is safe to allocate.
    ///
    /// @throws DatasetException when the entry is invalid
    public long size(long recordIndex) {
        return file.use(() -> index.readable(recordIndex).rawSize());
    }

    /// [#size], which is read from the index also for compressed records.
    @Override
    public long length(Field field, long recordIndex) {
        if (!field.equals(VALUE)) {
            throw new IllegalArgumentException("a pack has the single field " + VALUE + ", not " + field);
        }
        return size(recordIndex);
    }

    @Override
    public Optional<Place> place(long recordIndex) {
        PackEntry entry = entry(recordIndex);
        boolean isPlain = entry.isReadable() && entry.codec() == Codec.NONE;
        return isPlain ? Optional.of(new Place(entry.offset(), entry.storedSize())) : Optional.empty();
    }

    /// The kind of a record.
    ///
    /// @throws DatasetException.Corrupt when the kind in the index is unknown
    public PackKind kind(long recordIndex) {
        int code = entry(recordIndex).kindCode();
        return PackKind.of(code)
                .orElseThrow(() -> new DatasetException.Corrupt(
                        location(),
                        PackIndex.entryOffset(recordIndex) + PackEntry.KIND_OFFSET,
                        Reason.UNKNOWN_KIND,
                        "malformed packfile: unknown kind " + code + " of record " + recordIndex));
    }

    /// The number of records of a kind, including tombstones.
    public long kindCount(PackKind kind) {
        return summary.count(kind);
    }

    /// The path of the record in the folder it was packed from, or null when the pack has no names.
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
    /// @return the number of bytes written
    public long read(long recordIndex, MemorySegment target) throws IOException {
        return file.use(() -> records.copy(recordIndex, target));
    }

    /// Copies a part of an uncompressed record, without checking the checksum of the record.
    ///
    /// @param start the first byte to copy
    /// @throws IndexOutOfBoundsException when the part is out of range
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

    /// [#gather] with a given number of threads.
    void gather(MemorySegment indices, Batch batch, int threads) throws IOException {
        batch.clear();
        file.use(() -> {
            gather.gather(indices, batch, threads);
            return null;
        });
    }

    /// Reads all records in order, without tombstones, and prefetches with several threads.
    public PackScan scan() {
        return new PackScan(this, options.threads());
    }

    @Override
    public Verification verify(Progress progress) throws IOException {
        return file.use(() -> new PackVerifier(file, index, names, footer, options.threads()).verify(progress));
    }

    /// Checks the structure and `sampleCount` evenly spaced records, including the first and the last.
    public Verification verifySample(long sampleCount) throws IOException {
        return file.use(
                () -> new PackVerifier(file, index, names, footer, options.threads()).verifySample(sampleCount));
    }

    /// Counts and sizes of the records, computed from the index only.
    public PackStats stats() {
        return file.use(() -> PackStats.of(index, summary));
    }

    /// A fingerprint built from header and index, because the index has a checksum of each record. If it lacks
    /// checksums, samples of the data are added.
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

    /// The smallest offset is negative when the end of every record overflows; then there is no data to sample.
    /// Whether every record has a checksum, which each read compares.
    public boolean hasChecksums() {
        return summary.uncheckedCount() == 0;
    }

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
        RecordFamilies.kinds().forEach(kind -> facts.put(kind.fact(), summary.count(kind)));
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

    /// The statistics block that was given to the writer, if there is one and it lies before the footer.
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
