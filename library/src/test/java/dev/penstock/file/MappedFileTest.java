// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

class MappedFileTest implements OpenFileContract {
    @Override
    public Access access() {
        return Access.MMAP;
    }
}
