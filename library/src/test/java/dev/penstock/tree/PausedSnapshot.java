// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import java.io.IOException;
import java.nio.file.Path;

/// A program that puts a key into a tree, says so just before the new tree replaces the file, and waits for its
/// input to go on.
final class PausedSnapshot {
    private PausedSnapshot() {}

    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        Disk disk = new ForwardingDisk(Disk.real()) {
            @Override
            public void move(Path from, Path to) throws IOException {
                System.out.println("paused");
                System.in.read();
                super.move(from, to);
            }
        };
        try (HybridTree tree = HybridTree.open(path, TreeWriter.Options.DEFAULT.withDisk(disk))) {
            tree.put(TreeKeySets.bytes(arguments[1]), 1);
            tree.snapshot();
        }
        System.out.println("written");
    }
}
