// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

class MappedFileTest implements OpenFileContract {
    @Override
    public OpenFile.Access access() {
        return OpenFile.Access.MMAP;
    }
}
