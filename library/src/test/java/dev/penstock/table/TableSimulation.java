// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.simulation.BatchHistory;
import dev.penstock.simulation.Simulation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Two threads append to a table and one reads it.
final class TableSimulation extends Simulation {
    private static final int OPERATION_COUNT = 250;
    private static final RowType ROW = RowType.of(DType.parse("<i8"));

    private final Path path;
    private final BatchHistory history = new BatchHistory();
    /// Temporary files of earlier processes that crashed. The next writer of the same target removes them.
    private List<Path> abandoned = List.of();

    TableSimulation(long seed) {
        super(seed, OPERATION_COUNT);
        this.path = random.nextBoolean() ? Tables.FOLDER : Tables.FILE;
    }

    private TableWriter.Options options(Disk disk) {
        return Tables.writing(disk).withShardRows(3);
    }

    private static byte[] bytes(List<Long> items) {
        ByteBuffer bytes = ByteBuffer.allocate(items.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        items.forEach(bytes::putLong);
        return bytes.array();
    }

    @Override
    protected MemoryDisk files() throws IOException {
        MemoryDisk disk = Tables.disk();
        long first = history.begin(2, List.of());
        Tables.write(path, ROW, options(disk), bytes(history.items(first)));
        history.acknowledge(first);
        return disk;
    }

    private List<Long> read(Disk disk) throws IOException {
        Access access = random.nextBoolean() ? Access.MMAP : Access.READ;
        try (TableReader table = Tables.open(disk, path, access)) {
            ByteBuffer rows = ByteBuffer.wrap(Tables.rows(table)).order(ByteOrder.LITTLE_ENDIAN);
            List<Long> items = new ArrayList<>();
            while (rows.hasRemaining()) {
                items.add(rows.getLong());
            }
            return items;
        }
    }

    /// The batches that a reader finds now. No other thread goes on meanwhile, and nothing fails.
    private List<Long> now() throws IOException {
        return history.batches(read(disk().files()));
    }

    /// Temporary files, without scheduling other threads.
    private List<Path> temporary() throws IOException {
        List<Path> all = new ArrayList<>(disk().files().list(Tables.HOME));
        if (path.equals(Tables.FOLDER)) {
            all.addAll(disk().files().list(path));
        }
        return all.stream().filter(NewFile::isTemporary).toList();
    }

    @Override
    protected void begin() throws IOException {
        abandoned = temporary();
        work("first writer", this::appendSome);
        work("second writer", this::appendSome);
        work("reader", this::readSome);
    }

    private void appendSome() throws IOException {
        for (int i = 0; i < 3; i++) {
            TableWriter[] writer = new TableWriter[1];
            if (tried("begin an append", () -> writer[0] = TableWriter.extend(path, options(disk())))) {
                append(writer[0]);
            }
        }
    }

    private void append(TableWriter writer) throws IOException {
        // The writer holds the lock, so this does not change before it is closed.
        long batch = history.begin(1 + random.nextInt(7), now());
        boolean isWritten = tried("rows of " + batch, () -> {
            for (long item : history.items(batch)) {
                writer.append(MemorySegment.ofArray(bytes(List.of(item))));
            }
        });
        if (isWritten && random.nextInt(6) == 0) {
            writer.abort();
            isWritten = false;
        }
        boolean isClosed = tried("close " + batch, writer::close);
        if (!isClosed) {
            tried("close " + batch + " again", writer::close);
        }
        boolean isThere = now().contains(batch);
        require(isWritten || !isThere, "batch " + batch + " was given up and is there");
        if (isWritten && isClosed) {
            require(isThere, "batch " + batch + " was acknowledged and is not there");
            history.acknowledge(batch);
        } else if (!isThere) {
            history.fail(batch);
        }
    }

    private void readSome() throws IOException {
        for (int i = 0; i < 4; i++) {
            Set<Long> required = history.acknowledged();
            tried("read", () -> {
                String wrong = history.wrong(read(disk()), required);
                require(wrong == null, "a reader: " + wrong);
            });
        }
    }

    @Override
    protected void end() throws IOException {
        TableWriter writer = TableWriter.extend(path, options(disk()));
        append(writer);
        List<Path> left = new ArrayList<>(temporary());
        left.removeAll(abandoned);
        require(left.isEmpty(), "temporary files are left: " + left);
    }

    @Override
    protected void check() throws IOException {
        String wrong = history.wrong(read(disk()), history.acknowledged());
        require(wrong == null, "after the process: " + wrong);
    }
}
