// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.memory.Access;
import dev.penstock.memory.ReaderOptions;
import picocli.CommandLine.Option;

/// How files are brought into memory.
final class AccessOption {
    @Option(
            names = "--io",
            paramLabel = "mmap|read",
            defaultValue = "mmap",
            description = "Map files, or read them by position (for network file systems).")
    Access access;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Memory the files may hold, such as 4g; larger ones are fetched as they are needed"
                    + " (default: most of what is free).")
    Long memoryBytes;

    Catalog.Options options() {
        return Catalog.Options.DEFAULT
                .withAccess(access)
                .withMemoryBytes(memoryBytes == null ? ReaderOptions.AUTOMATIC : memoryBytes);
    }
}
