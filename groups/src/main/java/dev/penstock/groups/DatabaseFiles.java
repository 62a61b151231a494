// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;

/// The `metadata.db` of a folder and the files that SQLite keeps beside it.
///
/// If `metadata.db` is a symbolic link, these are the files beside its target, as for SQLite.
///
/// @param database the database
/// @param journal  the rollback journal, which exists while a transaction is committed
/// @param log      the log of a database in WAL mode
/// @param index    the index of the log
record DatabaseFiles(Disk disk, Path database, Path journal, Path log, Path index) {
    static DatabaseFiles of(Disk disk, Path folder) throws IOException {
        Path database = disk.target(folder.resolve(GroupFormat.DATABASE).toAbsolutePath());
        String name = database.getFileName().toString();
        return new DatabaseFiles(
                disk,
                database,
                database.resolveSibling(name + GroupFormat.JOURNAL_END),
                database.resolveSibling(name + GroupFormat.LOG_END),
                database.resolveSibling(name + GroupFormat.LOG_INDEX_END));
    }

    /// The files for a change. Unlike a reader, a change follows no link.
    static DatabaseFiles owned(Disk disk, Path folder) throws IOException {
        disk.requireOwn(folder.resolve(GroupFormat.DATABASE));
        DatabaseFiles files = of(disk, folder);
        disk.requireOwn(files.journal);
        disk.requireOwn(files.log);
        disk.requireOwn(files.index);
        return files;
    }

    boolean hasDatabase() throws IOException {
        return disk.exists(database);
    }

    /// Removes an empty log of a database that is not in WAL mode any more: SQLite would go on with it.
    void deleteLog() throws IOException {
        disk.delete(log);
        disk.delete(index);
    }

    Path folder() {
        return database.getParent();
    }
}
