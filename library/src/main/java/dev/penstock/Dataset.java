// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Records that are read by index. Every format implements this interface; the loader, the command line and Python
/// use it.
///
/// A dataset is a fixed sequence of [#count] records with the same [#fields], until [#refresh] is called. Its
/// files must not change while it is open. Opening reads headers and indices only, never records.
///
/// **Ownership.** The dataset owns its mappings. Rows it returns are views into them; batches belong to the
/// caller.
///
/// **Threads.** All methods may be called from any number of threads, each with its own [Batch]. `close` may be
/// called at any time and more than once: calls in progress finish, later calls throw an [IllegalStateException].
public interface Dataset extends AutoCloseable {
    /// The name of the format, as the command line prints it.
    String format();

    /// The version of the format in the dataset's files.
    int version();

    /// The location the dataset was opened from.
    Location location();

    /// The number of records.
    long count();

    /// The total size of all files of the dataset in bytes.
    long bytes();

    /// The fields of a record.
    List<Field> fields();

    /// The fields that a condition may name: the fields of a record, and in some formats fields that belong to a
    /// whole group of records. [#gather] accepts all of them.
    default List<Field> conditionFields() {
        return fields();
    }

    /// Returns one record as a view.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws DatasetException          when the stored bytes of the record are invalid
    Row get(long index) throws IOException;

    /// The files that hold the records, in the order of the records. Work on a whole dataset is best divided at
    /// their borders. A dataset in one file, or in one that does not keep its records in ranges, has one shard.
    default List<Shard> shards() {
        return List.of(new Shard(location(), 0, count()));
    }

    /// Copies many records into a batch, in the order of the indices. An index may occur more than once.
    ///
    /// The batch selects the fields: it was created for all or some of [#fields]. All indices are checked before
    /// anything is written. After an exception the batch is empty. A column has a mask if, and only if, one of the
    /// records lacks the value ([Column#hasMissing]).
    ///
    /// @param indices 64-bit little-endian record indices, on or off the heap
    /// @throws IndexOutOfBoundsException when an index is out of range
    /// @throws DatasetException          when the stored bytes of a record are invalid
    void gather(MemorySegment indices, Batch batch) throws IOException;

    /// [#gather(MemorySegment, Batch)] for indices in an array.
    default void gather(long[] indices, Batch batch) throws IOException {
        gather(MemorySegment.ofArray(indices), batch);
    }

    /// Starts loading the whole dataset into memory if it fits the memory budget, and returns at once. If this is
    /// not called, the first gather decides whether the files stay resident.
    void prepare();

    /// Prefetches consecutive records if the dataset is too large to stay resident, and returns before they are
    /// read. Calling it is optional; it only makes a later gather faster.
    ///
    /// @throws IndexOutOfBoundsException when the range of records is out of range
    default void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
    }

    /// The records as objects of a remote storage, or null when they are on the local disk or in memory.
    default RemoteRecords remote() {
        return null;
    }

    /// Reads every byte, checks every checksum and every reference, and returns a list of what is wrong. Damage is
    /// a result here, not an exception.
    Verification verify(Progress progress) throws IOException;

    /// A short text that identifies the records and their order. Copies of the files have the same fingerprint,
    /// whatever their paths and times. Resume tokens are valid only for the fingerprint they were made with.
    ///
    /// Computing it is quick for any size. It covers the fields, the number of records, and the checksums that the
    /// writer stored for all records. Formats without checksums use samples of [Fingerprint#SAMPLED_WHOLE_MAX]
    /// bytes in total, so a change between the samples is not noticed ([#isFingerprintExact]). [#fullFingerprint]
    /// reads every record.
    String fingerprint() throws IOException;

    /// Whether [#fingerprint] covers every record, either by stored checksums or because the samples cover all
    /// bytes. Stored checksums describe the bytes as they were written; [#verify] compares them with the files.
    default boolean isFingerprintExact() {
        return false;
    }

    /// The fingerprint of every byte of every record. It is different from [#fingerprint]. Two datasets with the
    /// same fields and the same values in the same order have the same full fingerprint, whatever their formats
    /// and files.
    default String fullFingerprint(Progress progress) throws IOException {
        return FullFingerprint.of(this, progress);
    }

    /// The fingerprint that the dataset had when it held only its first `recordCount` records, or null when the
    /// format does not grow by appending. A caller that stored a fingerprint and a count can check that those
    /// records are still the first ones.
    ///
    /// @throws IndexOutOfBoundsException when the dataset has fewer records
    default String fingerprint(long recordCount) throws IOException {
        Indices.requireFirst(this, recordCount);
        return recordCount == count() ? fingerprint() : null;
    }

    /// Whether `noted` is a valid fingerprint of the first `recordCount` records. A format that changed how it
    /// computes fingerprints accepts earlier ones here.
    ///
    /// @throws IndexOutOfBoundsException when the dataset has fewer records
    default boolean hasFingerprint(String noted, long recordCount) throws IOException {
        return noted.equals(fingerprint(recordCount));
    }

    /// Whether [#refresh] can find a newer state. Only a dataset with commits that was opened from files changes;
    /// a named snapshot and a selection of records do not.
    default boolean isRefreshable() {
        return false;
    }

    /// Switches to the last committed state, if the format has commits and the dataset was opened from files.
    /// [#count] and the records may differ afterwards. Calls in progress finish with the state they began with.
    ///
    /// @return whether there was a newer state; always false for formats without commits
    default boolean refresh() throws IOException {
        return false;
    }

    /// The number of items that a field has in a record; 1 for a fixed field. Formats with an index answer without
    /// reading the record, so the answer is not yet checked against the record's bytes.
    ///
    /// @param field one of [#fields]
    /// @throws IllegalArgumentException  when the dataset has no such field
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws DatasetException          when the stored bytes of the length are invalid
    default long length(Field field, long index) throws IOException {
        int fieldIndex = fields().indexOf(field);
        if (fieldIndex < 0) {
            throw new IllegalArgumentException(location() + " has no field " + field + "; its fields are " + fields());
        }
        if (!field.isVariable()) {
            Objects.checkIndex(index, count());
            return 1;
        }
        return get(index).value(fieldIndex).byteSize() / field.itemSize();
    }

    /// Whether the dataset has deleted records whose indices are still in use. Call [#isDeleted] only if it has.
    default boolean hasDeleted() {
        return false;
    }

    /// Whether a record was deleted while its index stayed in use. All values of a deleted record are missing, and
    /// a loader skips it.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    default boolean isDeleted(long index) throws IOException {
        Objects.checkIndex(index, count());
        return false;
    }

    /// Free-form metadata that the writer stored with the dataset.
    Map<String, String> metadata();

    /// Facts that are specific to the format, in the order in which to show them: strings, numbers or booleans.
    Map<String, Object> facts();

    /// Remarks that a user should read before using the records, in full sentences: files that were ignored when
    /// the dataset was opened, or reasons why it is slower than it could be. `info` prints them.
    default List<String> remarks() {
        return List.of();
    }

    /// Where a record is stored, through all views: one origin, or several for a record that is made of records of
    /// several datasets.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    default List<Origin> origins(long index) {
        Objects.checkIndex(index, count());
        return List.of(new Origin(this, index, 1, location(), index, name(index)));
    }

    /// Describes the dataset for a checkpoint, as values for JSON. A dataset with files of its own has `path`,
    /// `format`, `records` and `fingerprint`. A view has `view`, what it needs to be made again, and the
    /// descriptions of its datasets in `of`.
    default Map<String, Object> recipe() throws IOException {
        Map<String, Object> recipe = new LinkedHashMap<>();
        recipe.put("path", location().toString());
        recipe.put("format", format());
        recipe.put("records", count());
        recipe.put("fingerprint", fingerprint());
        return recipe;
    }

    /// The name of a record, or null when the record has none.
    default String name(long index) {
        return null;
    }

    @Override
    void close();
}
