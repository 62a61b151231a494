// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/// The ways in which a table is written, each with what was there before, for tests that stop them anywhere.
enum WriteScenario {
    CREATE_FILE,
    REPLACE_FILE,
    EXTEND_FILE,
    CREATE_FOLDER,
    EXTEND_FOLDER,
    /// An append that stopped has left shards that are not listed.
    EXTEND_FOLDER_WITH_LEFTOVERS,
    /// Shards of another program.
    EXTEND_FOLDER_WITHOUT_MANIFEST,
    /// Shards in a folder of their own beside a manifest of another program.
    EXTEND_FOREIGN_FOLDER;

    private static final int OLD_COUNT = 6;
    private static final int NEW_COUNT = 11;
    private static final int SHARD_ROWS = 4;

    /// The content that is found at the path.
    enum Found {
        NOTHING,
        /// Refused as a table whose writer stopped.
        UNFINISHED,
        OLD,
        NEW,
        /// Any other rows, or rows that `verify` finds fault with.
        WRONG
    }

    private byte[] oldRows() {
        return Tables.rows(Tables.RECORD, OLD_COUNT, new Random(1));
    }

    private byte[] addedRows() {
        return Tables.rows(Tables.RECORD, NEW_COUNT, Seeds.random());
    }

    Path path() {
        return this == CREATE_FILE || this == REPLACE_FILE || this == EXTEND_FILE ? Tables.FILE : Tables.FOLDER;
    }

    private boolean isCreating() {
        return this == CREATE_FILE || this == REPLACE_FILE || this == CREATE_FOLDER;
    }

    private boolean hasOld() {
        return this != CREATE_FILE && this != CREATE_FOLDER;
    }

    private byte[] newRows() {
        byte[] added = addedRows();
        if (isCreating()) {
            return added;
        }
        byte[] rows = Arrays.copyOf(oldRows(), oldRows().length + added.length);
        System.arraycopy(added, 0, rows, oldRows().length, added.length);
        return rows;
    }

    /// The disk before.
    MemoryDisk start() throws IOException {
        MemoryDisk disk = Tables.disk();
        TableWriter.Options options = Tables.writing(disk).withShardRows(SHARD_ROWS);
        switch (this) {
            case CREATE_FILE, CREATE_FOLDER -> {}
            case REPLACE_FILE, EXTEND_FILE, EXTEND_FOLDER -> Tables.write(path(), Tables.RECORD, options, oldRows());
            case EXTEND_FOLDER_WITH_LEFTOVERS -> {
                Tables.write(path(), Tables.RECORD, options, oldRows());
                byte[] junk = Tables.file(Tables.RECORD, Tables.rows(Tables.RECORD, 3, new Random(2)));
                disk.put(path().resolve("rows-00002.npy"), junk);
                disk.put(path().resolve("rows-00003.npy"), junk);
                disk.put(path().resolve("rows-00009.npy"), junk);
            }
            case EXTEND_FOLDER_WITHOUT_MANIFEST -> putShards(disk, path(), "part_");
            case EXTEND_FOREIGN_FOLDER -> {
                putShards(disk, path().resolve("shards"), "steps-");
                disk.put(path().resolve(TableFormat.MANIFEST), "{\"theirs\": 1}".getBytes(StandardCharsets.UTF_8));
            }
        }
        return disk;
    }

    private void putShards(MemoryDisk disk, Path folder, String series) throws IOException {
        int rowSize = (int) Tables.RECORD.size();
        for (int i = 0; i < OLD_COUNT / 2; i++) {
            byte[] rows = Arrays.copyOfRange(oldRows(), 2 * i * rowSize, 2 * (i + 1) * rowSize);
            disk.put(folder.resolve(new ShardName(series, i, 5).file()), Tables.file(Tables.RECORD, rows));
        }
    }

    /// Writes.
    void write(Disk disk) throws IOException {
        TableWriter.Options options =
                Tables.writing(disk).withShardRows(SHARD_ROWS).withReplacing(this == REPLACE_FILE);
        if (isCreating()) {
            Tables.write(path(), Tables.RECORD, options, addedRows());
        } else {
            Tables.extend(path(), options, addedRows());
        }
    }

    /// Whether something may be there when the writing was not completed.
    boolean isRight(Found found) {
        return switch (found) {
            case NEW -> true;
            case OLD -> hasOld();
            case NOTHING -> !hasOld();
            case UNFINISHED -> this == CREATE_FOLDER;
            case WRONG -> false;
        };
    }

    /// The state of the path.
    Found found(Disk disk) {
        try (TableReader table = Tables.open(disk, path(), Access.READ)) {
            byte[] rows = Tables.rows(table);
            if (!table.verify(Progress.NONE).isOk()) {
                return Found.WRONG;
            }
            boolean isOld = hasOld() && Arrays.equals(oldRows(), rows);
            return isOld ? Found.OLD : Arrays.equals(newRows(), rows) ? Found.NEW : Found.WRONG;
        } catch (NoSuchFileException e) {
            return Found.NOTHING;
        } catch (DatasetException e) {
            boolean isEmpty = e.getMessage().contains("no shards");
            return e.getMessage().contains("never finished") ? Found.UNFINISHED : isEmpty ? Found.NOTHING : Found.WRONG;
        } catch (IOException e) {
            return Found.WRONG;
        }
    }
}
