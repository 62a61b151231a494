// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.columnar.ParquetRecords.ParquetFile;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.BadRecords.LeftOut;
import dev.penstock.convert.RecordSource.BatchReceiver;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// Threads that read row groups, each every nth of them. The batches are passed on in the order of the rows.
///
/// A thread that is ahead waits once it has filled its batches, so memory is bounded.
///
/// **Ownership.** Owns the threads and the batches.
final class ParquetThreads implements AutoCloseable {
    private static final int THREADS_MAX = 4;
    private static final int BATCHES_OF_THREAD = 6;

    /// Each column has pages in memory in each thread.
    private static final int COLUMNS_MAX = 128;

    private final List<ParquetFile> files;
    private final List<Field> fields;
    private final ColumnNotes known;
    private final Where where;
    private final ReaderOptions options;
    private final BadRecords bad;
    private final List<Reader> readers = new ArrayList<>();

    /// A row group.
    private record Group(ParquetFile file, int index) {}

    /// Rows of a row group, its end, or a failure.
    ///
    /// @param skipped the rows that cannot match the condition, or cannot be read
    /// @param leftOut the rows that cannot be read, or null
    private record Item(Batch batch, long skipped, LeftOut leftOut, Throwable failure) {
        boolean isEnd() {
            return batch == null && skipped == 0 && leftOut == null;
        }
    }

    ParquetThreads(
            List<ParquetFile> files,
            List<Field> fields,
            ColumnNotes known,
            Where where,
            ReaderOptions options,
            BadRecords bad) {
        this.files = files;
        this.fields = fields;
        this.known = known;
        this.where = where;
        this.options = options;
        this.bad = bad;
    }

    void forEach(BatchReceiver receiver, Progress progress, long total) throws IOException {
        List<Group> groups = new ArrayList<>();
        for (ParquetFile file : files) {
            for (int i = 0; i < file.rows().length; i++) {
                groups.add(new Group(file, i));
            }
        }
        int wanted = fields.size() > COLUMNS_MAX
                ? 1
                : Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors());
        int count = Math.max(1, Math.min(wanted, groups.size()));
        for (int i = 0; i < count; i++) {
            readers.add(new Reader(groups, i, count));
        }
        readers.forEach(reader -> reader.thread.start());
        long done = 0;
        for (int i = 0; i < groups.size(); i++) {
            Reader reader = readers.get(i % count);
            for (Item item = reader.take(); !item.isEnd(); item = reader.take()) {
                done += item.skipped();
                if (item.leftOut() != null) {
                    bad.add(item.leftOut());
                }
                if (item.batch() != null) {
                    done += item.batch().rowCount();
                    receiver.accept(null, item.batch());
                    reader.free.add(item.batch());
                }
                progress.at(done, total);
            }
        }
    }

    /// A thread with its batches.
    private final class Reader {
        private final List<Group> groups;
        private final int first;
        private final int step;
        private final BlockingQueue<Batch> free = new ArrayBlockingQueue<>(BATCHES_OF_THREAD);
        private final BlockingQueue<Item> items = new ArrayBlockingQueue<>(BATCHES_OF_THREAD + 1);
        private final List<Batch> batches = new ArrayList<>();
        private final Thread thread;
        private final Pages pages = new Pages();
        private ParquetFile file;
        private Disk.Readable open;
        private ParquetFooter footer;
        private List<ColumnField> columns;

        Reader(List<Group> groups, int first, int step) {
            this.groups = groups;
            this.first = first;
            this.step = step;
            for (int i = 0; i < BATCHES_OF_THREAD; i++) {
                batches.add(Batch.create(fields));
            }
            free.addAll(batches);
            thread = Thread.ofPlatform()
                    .daemon()
                    .name("penstock-parquet-" + first)
                    .unstarted(this::run);
        }

        Item take() throws IOException {
            Item item;
            try {
                item = items.take();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while reading", e);
            }
            return switch (item.failure()) {
                case null -> item;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case IOException e -> throw e;
                default -> throw new IOException(item.failure());
            };
        }

        private void run() {
            Throwable failure = null;
            try {
                for (int i = first; i < groups.size(); i += step) {
                    read(groups.get(i));
                    items.put(new Item(null, 0, null, null));
                }
            } catch (InterruptedException e) {
                // The receiver has ended.
                return;
            } catch (Throwable e) {
                failure = e;
            } finally {
                failure = closeFile(failure);
            }
            try {
                if (failure != null) {
                    items.put(new Item(null, 0, null, failure));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Throwable closeFile(Throwable failure) {
            try {
                if (open != null) {
                    open.close();
                }
                return failure;
            } catch (IOException e) {
                return failure == null ? e : failure;
            }
        }

        private void read(Group group) throws IOException, InterruptedException {
            if (group.file() != file) {
                open(group.file());
            }
            long rows = footer.group(group.index()).getNum_rows();
            if (where != null && !GroupBounds.mayMatch(where, footer, columns, group.index())) {
                items.put(new Item(null, rows, null, null));
                return;
            }
            long done = 0;
            try {
                GroupReader reader = new GroupReader(footer, group.index(), columns, fields, open, pages);
                while (reader.left() > 0) {
                    Batch batch = free.take();
                    read(reader, batch);
                    done += batch.rowCount();
                    items.put(new Item(batch, 0, null, null));
                }
            } catch (DatasetException.Corrupt | BadInput e) {
                if (!bad.isSkipping()) {
                    throw e;
                }
                items.put(new Item(null, rows - done, leftOut(group, done, rows, e), null));
            }
        }

        private void read(GroupReader reader, Batch batch) throws IOException {
            try {
                reader.read(batch);
            } catch (DatasetException.Corrupt | BadInput e) {
                free.add(batch);
                throw e;
            }
        }

        /// The rest of a row group. It cannot be read without what is in front of it.
        private LeftOut leftOut(Group group, long first, long end, RuntimeException e) {
            String record = "rows " + first + " to " + end + " of row group " + group.index();
            Location location = group.file().location();
            return e instanceof DatasetException.Corrupt bytes
                    ? new LeftOut(location, bytes.offset(), bytes.reason(), record, null, bytes.what())
                    : new LeftOut(location, 0, Reason.UNREADABLE, record, null, e.getMessage());
        }

        private void open(ParquetFile next) throws IOException {
            if (open != null) {
                open.close();
                open = null;
            }
            open = options.storageOf(next.location()).open(next.location());
            file = next;
            requireSame(open.size() == next.size(), next);
            footer = ParquetFooter.read(next.location(), open);
            columns = ParquetRecords.fields(footer, known);
            requireSame(footer.groupCount() == next.rows().length, next);
            for (int i = 0; i < next.rows().length; i++) {
                requireSame(footer.group(i).getNum_rows() == next.rows()[i], next);
            }
        }

        private void requireSame(boolean isSame, ParquetFile next) {
            if (!isSame) {
                throw ParquetFooter.corrupt(
                        next.location(),
                        0,
                        Reason.SHARD_CHANGED,
                        "the file has changed while it was read; start again when nothing writes to it");
            }
        }

        private void stop() {
            thread.interrupt();
            boolean isInterrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            batches.forEach(Batch::close);
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Stops the threads and waits for them.
    @Override
    public void close() {
        readers.forEach(Reader::stop);
    }
}
