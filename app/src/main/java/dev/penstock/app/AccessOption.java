// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.FileBytes;
import picocli.CommandLine.Option;

/// How files are brought into memory.
final class AccessOption {
    @Option(
            names = "--io",
            paramLabel = "mmap|read",
            defaultValue = "mmap",
            description = "Map files, or read them by position (for network file systems).")
    FileBytes.Access access;
}
