// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.nio.file.Path;

class MemoryDiskTest implements DiskContract {
    @Override
    public Disk disk(Path folder) {
        return new MemoryDisk().addFolder(folder);
    }
}
