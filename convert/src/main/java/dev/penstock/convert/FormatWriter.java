// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Io;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.util.function.LongSupplier;

/// The writer of a format as a [RecordWriter]. Closing it before it is finished gives up what the format's
/// writer has not committed.
final class FormatWriter implements RecordWriter {
    private final LongSupplier count;
    private final Io.Consumer<Batch> append;
    private final Io.Action finish;
    private final Io.Action abort;
    private boolean isFinished;

    private FormatWriter(LongSupplier count, Io.Consumer<Batch> append, Io.Action finish, Io.Action abort) {
        this.count = count;
        this.append = append;
        this.finish = finish;
        this.abort = abort;
    }

    static FormatWriter of(TableWriter writer) {
        return new FormatWriter(writer::rowCount, writer::append, writer::close, writer::abort);
    }

    static FormatWriter of(ShardWriter writer) {
        return new FormatWriter(
                writer::nextRow,
                batch -> writer.append(
                        batch.column(0).values(), batch.column(0).field().type()),
                writer::close,
                writer::abort);
    }

    @Override
    public long count() {
        return count.getAsLong();
    }

    @Override
    public void append(long[] indices, Batch batch) throws IOException {
        append.accept(batch);
    }

    /// The format's own `close` completes the dataset, and discards it itself when that fails.
    @Override
    public void finish() throws IOException {
        isFinished = true;
        finish.run();
    }

    @Override
    public void close() throws IOException {
        if (!isFinished) {
            isFinished = true;
            abort.run();
        }
    }
}
