// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Who has a store open, as the list of file locks of Linux says. Readers of all processes hold a shared lock on the
/// file of leases, and the writer an exclusive one on the file `.lock`. Reading the list takes no lock.
final class StoreLocks {
    private static final Path LIST = Path.of("/proc/locks");

    private StoreLocks() {}

    /// The number of open readers, this server included, or null when the system does not tell.
    static Long readers(Path store) {
        return count(store.resolve(".lease"), "READ");
    }

    /// Whether a writer has the store open, or null when the system does not tell.
    static Boolean hasWriter(Path store) {
        Long count = count(store.resolve(".lock"), "WRITE");
        return count == null ? null : (Boolean) (count > 0);
    }

    private static Long count(Path file, String kind) {
        try {
            String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
            List<String> locks = Files.readAllLines(LIST);
            return locks.stream()
                    .filter(lock -> lock.contains(inode) && lock.contains(" " + kind + " "))
                    .count();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        }
    }
}
