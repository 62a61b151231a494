// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

class MappedBytesTest implements FileBytesContract {
    @Override
    public FileBytes.Access access() {
        return FileBytes.Access.MMAP;
    }
}
