// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.file.Access;
import dev.penstock.file.ReaderOptions;
import picocli.CommandLine.Option;

/// The options for how files are read into memory.
final class AccessOption {
    @Option(
            names = "--io",
            paramLabel = "mmap|read",
            description = "Map files (mmap), or read them by position (read; use this on network file systems).")
    Access access = Access.MMAP;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description =
                    "Memory budget for file pages, such as 4g. Larger files are read as needed and not kept resident"
                            + " (default: most of the available memory).")
    Long memoryBytes;

    Catalog.Options options() {
        return Catalog.Options.DEFAULT
                .withAccess(access)
                .withMemoryBytes(memoryBytes == null ? ReaderOptions.AUTOMATIC : memoryBytes);
    }
}
