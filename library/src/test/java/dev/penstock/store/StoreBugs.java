// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import dev.penstock.memory.ForwardingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Disks that make a store's writer do one thing wrongly.
final class StoreBugs {
    private StoreBugs() {}

    /// As if changed tables got their names while `meta.json` was there.
    static Disk withoutSwitch(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                if (!to.getFileName().toString().equals(StoreFormat.META_SWITCH)) {
                    super.move(from, to);
                }
            }
        };
    }

    /// As if the old journal was deleted before the new `meta.json` has its name.
    static Disk withEarlyDelete(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                Path journals = StoreModel.STORE.resolve(StoreFormat.JOURNAL_FOLDER);
                boolean isMeta = to.getFileName().toString().equals(StoreFormat.META);
                if (isMeta && disk.exists(journals)) {
                    List<Path> files = disk.list(journals).stream()
                            .sorted((a, b) -> Long.compare(number(a), number(b)))
                            .toList();
                    for (Path file : files.subList(0, Math.max(0, files.size() - 1))) {
                        disk.delete(file);
                    }
                }
                super.move(from, to);
            }
        };
    }

    private static long number(Path journal) {
        return Long.parseLong(journal.getFileName().toString().replace(".zj", ""));
    }
}
