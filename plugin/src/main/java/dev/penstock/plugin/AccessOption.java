// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.catalog.Catalog;
import dev.penstock.file.Access;
import dev.penstock.file.ReaderOptions;
import picocli.CommandLine.Option;

/// The options for how files are read into memory.
public final class AccessOption {
    @Option(
            names = "--io",
            paramLabel = "mmap|read",
            description = "Map files (mmap), or read them by position (read; use this on network file systems).")
    public Access access = Access.MMAP;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description =
                    "Memory budget for file pages, such as 4g. Larger files are read as needed and not kept resident"
                            + " (default: most of the available memory).")
    public Long memoryBytes;

    public Catalog.Options options() {
        return Catalog.Options.DEFAULT
                .withAccess(access)
                .withMemoryBytes(memoryBytes == null ? ReaderOptions.AUTOMATIC : memoryBytes);
    }
}
