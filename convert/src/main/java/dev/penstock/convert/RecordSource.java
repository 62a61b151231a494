// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Records that are read once from the first to the last for a conversion: those of a dataset, or of a source
/// without records by index, such as a tree or a text file.
///
/// **Ownership.** Closing the source closes what it reads from. **Threads.** One thread at a time.
public interface RecordSource extends AutoCloseable {
    /// Receives the records.
    @FunctionalInterface
    interface BatchReceiver {
        /// @param indices the index of each row's record in [#dataset], or null if there is no dataset
        /// @param batch   the rows; valid during the call only
        void accept(long[] indices, Batch batch) throws IOException;
    }

    /// Reads the values of a source with one variable field, such as the records of a pack, as rows of numbers.
    /// All values must have the same size. The result owns the source.
    ///
    /// @throws IllegalArgumentException when the source has several fields or no records, or the values are
    ///                                  not rows of such numbers
    static RecordSource numbers(RecordSource source, ElementType type) throws IOException {
        return NumberRecords.of(source, type);
    }

    /// Divides a stream of tokens, with one whole number in each record, into documents: the variable field
    /// `tokens`. A document ends with a token, which belongs to it. The result owns the source.
    ///
    /// @throws IllegalArgumentException when the records are something else, or the token does not fit
    static RecordSource documents(RecordSource source, long endToken) throws IOException {
        return DocumentRecords.of(source, endToken);
    }

    /// Divides the numbers of all records, one after another, into windows of one length. Numbers behind the last
    /// whole window are left out. The result owns the source.
    ///
    /// @throws IllegalArgumentException when the records do not have one field of numbers
    static RecordSource windows(RecordSource source, long length) throws IOException {
        return WindowRecords.of(source, length);
    }

    /// The path or name of the source, for messages.
    String name();

    /// The fields of a record.
    List<Field> fields();

    /// Whether values are known to be missing, so that the target must support that.
    default boolean hasMissing() {
        return false;
    }

    /// A text that stays the same as long as the source gives the same records in the same order. An interrupted
    /// conversion continues only if it is unchanged.
    String fingerprint() throws IOException;

    /// The dataset of the records, if there is one.
    Optional<Dataset> dataset();

    /// Reads all records in order. Progress is reported in records or bytes.
    void forEach(BatchReceiver receiver, Progress progress) throws IOException;

    @Override
    void close() throws IOException;
}
