// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Records by index: what every format is to the loader, the command line and Python.
///
/// A dataset is opened from files that do not change while it is open; it is a fixed sequence of [#count]
/// records with the same [#fields]. Opening reads headers and indices only, never records.
///
/// **Ownership.** The dataset owns its mappings. Rows it hands out are borrowed; batches belong to the caller.
///
/// **Threads.** All methods may be called from any number of threads, each with its own [Batch]. `close` may be
/// called at any moment and any number of times: calls under way finish, later ones are an
/// [IllegalStateException].
public interface Dataset extends AutoCloseable {
    /// The name of the format, as the command line prints it.
    String format();

    /// The version of the format this file has.
    int version();

    /// Where the dataset was opened from.
    Location location();

    /// How many records there are.
    long count();

    /// Bytes of all files of the dataset.
    long bytes();

    /// What a record holds.
    List<Field> fields();

    /// The fields that a condition may name: those of a record, and perhaps others that belong to a whole group of
    /// records. [#gather] accepts all of them.
    default List<Field> conditionFields() {
        return fields();
    }

    /// One record as a view.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws DatasetException          when the bytes of the record are wrong
    Row get(long index) throws IOException;

    /// Copies many records into a batch, in the order of the indices, which may repeat.
    ///
    /// The batch decides which fields are wanted: it was made from all or some of [#fields]. All indices are
    /// checked before anything is written; after any exception the batch is empty. A column has a mask if, and
    /// only if, one of the records lacks the value ([Column#hasMissing]).
    ///
    /// @param indices 64-bit little-endian record indices, in memory of the heap or outside it
    /// @throws IndexOutOfBoundsException when an index has no record
    /// @throws DatasetException          when the bytes of a record are wrong
    void gather(MemorySegment indices, Batch batch) throws IOException;

    /// [#gather(MemorySegment, Batch)] for indices in an array.
    default void gather(long[] indices, Batch batch) throws IOException {
        gather(MemorySegment.ofArray(indices), batch);
    }

    /// Brings the whole dataset into memory if it fits the memory budget, without waiting for it. Otherwise the
    /// first gather decides whether the files stay resident.
    void prepare();

    /// Begins to read consecutive records that will be gathered soon, if the dataset is too large to stay
    /// resident. Returns before they are there. Calling it is never necessary and only saves time.
    ///
    /// @throws IndexOutOfBoundsException when there are no such records
    default void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
    }

    /// Reads every byte, checks every checksum and every reference, and lists what is wrong. Damage is a result
    /// here and not an exception.
    Verification verify(Progress progress) throws IOException;

    /// A short text that identifies the records and their order: equal for copies of the files elsewhere, and
    /// independent of paths and times. Resume tokens are pinned to it.
    ///
    /// It is quick whatever the size: it covers the type, the number of records, and either the checksums that the
    /// writer stored for all records or, where there are none, samples of [Fingerprint#SAMPLED_WHOLE_MAX] bytes
    /// altogether. [#isFingerprintExact] says which. A change between the samples is not noticed;
    /// [#fullFingerprint] reads every record.
    String fingerprint() throws IOException;

    /// Whether [#fingerprint] covers every record: by stored checksums, or because all bytes are among the
    /// samples. Stored checksums are those of the bytes that were written; [#verify] compares them with the files.
    default boolean isFingerprintExact() {
        return false;
    }

    /// The fingerprint of every byte of every record. It differs from [#fingerprint]. Two datasets with the same
    /// fields and the same values in the same order have the same one, whatever their format and files.
    default String fullFingerprint(Progress progress) throws IOException {
        return FullFingerprint.of(this, progress);
    }

    /// The fingerprint this dataset had when it held only its first `recordCount` records, or null where that
    /// cannot be told: where the format does not grow by appending. A caller who has noted a fingerprint and a
    /// count finds out by it whether the records of that time are still there, with others behind them.
    ///
    /// @throws IndexOutOfBoundsException when there are not so many records
    default String fingerprint(long recordCount) throws IOException {
        Indices.requireFirst(this, recordCount);
        return recordCount == count() ? fingerprint() : null;
    }

    /// Whether a fingerprint that was noted is one of the first `recordCount` records. A format whose fingerprints
    /// have changed accepts the earlier ones here.
    ///
    /// @throws IndexOutOfBoundsException when there are not so many records
    default boolean hasFingerprint(String noted, long recordCount) throws IOException {
        return noted.equals(fingerprint(recordCount));
    }

    /// How many items a field holds in a record: 1 when it is fixed. Formats that know it without reading the
    /// record do not read it; then it is what the index says and not yet held against the bytes.
    ///
    /// @param field one of [#fields]
    /// @throws IllegalArgumentException  when there is no such field
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws DatasetException          when the bytes that say it are wrong
    default long length(Field field, long index) throws IOException {
        int fieldIndex = fields().indexOf(field);
        if (fieldIndex < 0) {
            throw new IllegalArgumentException("no field " + field + " in " + location() + "; there are: " + fields());
        }
        if (!field.isVariable()) {
            Objects.checkIndex(index, count());
            return 1;
        }
        return get(index).value(fieldIndex).byteSize() / field.itemSize();
    }

    /// Whether some records were deleted and their indices kept. Only then is [#isDeleted] worth asking.
    default boolean hasDeleted() {
        return false;
    }

    /// Whether a record was deleted and its index kept. A deleted record lacks all values, and a loader leaves it
    /// out.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    default boolean isDeleted(long index) throws IOException {
        Objects.checkIndex(index, count());
        return false;
    }

    /// What the writer noted about the dataset, in its own words.
    Map<String, String> metadata();

    /// Facts of the format worth showing beside the above, in the order to show them: strings, numbers or
    /// booleans.
    Map<String, Object> facts();

    /// Remarks that a user should read before using the records, in full sentences: what was ignored when the
    /// dataset was opened, or why it is slower than it could be. `info` prints them.
    default List<String> remarks() {
        return List.of();
    }

    /// The name of a record, or null when the format keeps none for it.
    default String name(long index) {
        return null;
    }

    @Override
    void close();
}
