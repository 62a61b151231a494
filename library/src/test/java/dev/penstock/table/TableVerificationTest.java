// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.contract.VerificationContract;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.nio.file.Path;

/// A table folder with many files that its manifest does not list, with one flipped bit in a listed shard.
class TableVerificationTest implements VerificationContract {
    @Override
    public Verification verifyDamaged(Path folder, int warningCount, boolean hasError) throws IOException {
        MemoryDisk disk = Tables.folder(Tables.PLAIN, new byte[4 * 20], 10);
        Path shard =
                TablePaths.find(disk, Tables.FOLDER, false).files().getLast().path();
        String series = ShardName.of(shard).series();
        byte[] listed = disk.bytes(shard);
        for (int i = 0; i < warningCount; i++) {
            disk.put(Tables.FOLDER.resolve(new ShardName(series, 10 + i, 5).file()), listed);
        }
        if (hasError) {
            byte[] damaged = listed.clone();
            damaged[damaged.length - 1] ^= 1;
            disk.put(shard, damaged);
        }
        try (TableReader table = Tables.open(disk, Tables.FOLDER, Access.READ)) {
            return table.verify(Progress.NONE);
        }
    }
}
