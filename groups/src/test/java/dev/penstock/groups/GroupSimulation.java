// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.simulation.BatchHistory;
import dev.penstock.simulation.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// Two threads add groups to a `metadata.db` and one reads it.
final class GroupSimulation extends Simulation {
    private static final Path FOLDER = Path.of("/disk");
    private static final int OPERATION_COUNT = 160;
    private static final List<String> TABLE = List.of(
            "CREATE TABLE groups (id INTEGER PRIMARY KEY, first_row INTEGER, num_rows INTEGER, note TEXT)",
            "CREATE INDEX notes ON groups(note)");
    private static final String INSERT = "INSERT INTO groups VALUES (?, ?, ?, ?)";

    private final BatchHistory history = new BatchHistory();

    GroupSimulation(long seed) {
        super(seed, OPERATION_COUNT);
    }

    private GroupDatabase rows(long batch) {
        GroupDatabase database = GroupDatabase.create(Path.of("rows"), TABLE);
        // Long texts make the groups of a batch fill several pages.
        List<Object[]> rows = history.items(batch).stream()
                .map(item -> new Object[] {item, item, 1L, (item + " ").repeat(200)})
                .toList();
        database.insert(INSERT, rows);
        return database;
    }

    @Override
    protected MemoryDisk files() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(FOLDER);
        long first = history.begin(2, List.of());
        try (GroupDatabase database = rows(first)) {
            database.publish(disk, FOLDER);
        }
        history.acknowledge(first);
        return disk;
    }

    private List<Long> read(Disk disk) throws IOException {
        try (GroupDatabase database = GroupDatabase.read(disk, FOLDER)) {
            require(database.check().isEmpty(), "the database is damaged: " + database.check());
            return database.wholes("SELECT id FROM groups ORDER BY id", 1).stream()
                    .map(row -> row[0])
                    .toList();
        }
    }

    /// The batches that a reader finds now. No other thread goes on meanwhile, and nothing fails.
    private List<Long> now() throws IOException {
        return history.batches(read(disk().files()));
    }

    @Override
    protected void begin() {
        work("first writer", this::addSome);
        work("second writer", this::addSome);
        work("reader", this::readSome);
    }

    private void addSome() throws IOException {
        for (int i = 0; i < 3; i++) {
            tried("begin", () -> add(random.nextInt(6) > 0));
        }
    }

    private void add(boolean commits) throws IOException {
        long batch;
        boolean isCommitted = false;
        try (GroupChange change = GroupChange.begin(disk(), FOLDER, Duration.ZERO)) {
            // The change holds the lock, so this does not change before it is closed.
            batch = history.begin(1 + random.nextInt(8), now());
            try (GroupDatabase rows = rows(batch)) {
                change.insert(rows, "SELECT * FROM groups", INSERT);
            }
            if (commits) {
                isCommitted = tried("commit of " + batch, change::commit);
            }
        }
        boolean isThere = now().contains(batch);
        if (isCommitted) {
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
        add(true);
        List<Path> left = disk().files().list(FOLDER);
        require(left.equals(List.of(FOLDER.resolve(GroupFormat.DATABASE))), "files are left: " + left);
    }

    @Override
    protected void check() throws IOException {
        String wrong = history.wrong(read(disk()), history.acknowledged());
        require(wrong == null, "after the process: " + wrong);
    }
}
