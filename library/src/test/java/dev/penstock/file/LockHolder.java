// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.nio.file.Path;

/// A program that takes a writer's lock, says so, and keeps it until its input ends or it is killed.
final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        WriterLock lock = WriterLock.take(Disk.real(), file, file.getParent());
        System.out.println("locked");
        System.in.read();
        lock.close();
    }
}
