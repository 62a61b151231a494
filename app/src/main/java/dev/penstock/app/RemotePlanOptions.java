// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.CacheOptions;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// What a plan for remote storage is computed with.
final class RemotePlanOptions {
    @Option(
            names = "--cache",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "Show what epochs from remote storage cost with a cache of this size, such as 50GB or 0,"
                    + " instead of a step. A local dataset is treated as if it were remote.")
    Long cacheBytes;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "10",
            description = "With --cache: the number of epochs (default: ${DEFAULT-VALUE}).")
    long epochs;

    @Option(
            names = "--request-price",
            paramLabel = "PRICE",
            defaultValue = "0.0004",
            description = "With --cache: the price of 1,000 requests (default: ${DEFAULT-VALUE}).")
    double requestPrice;

    @Option(
            names = "--gigabyte-price",
            paramLabel = "PRICE",
            defaultValue = "0",
            description = "With --cache: the price of a gigabyte that leaves the storage, such as 0.09 outside its"
                    + " region (default: ${DEFAULT-VALUE}).")
    double bytePrice;

    @Option(
            names = "--latency",
            paramLabel = "MS",
            defaultValue = "30",
            description = "With --cache: the milliseconds until an answer begins (default: ${DEFAULT-VALUE}).")
    double latencyMillis;

    @Option(
            names = "--bandwidth",
            paramLabel = "SIZE",
            converter = Size.class,
            defaultValue = "500MB",
            description = "With --cache: the bytes that arrive in a second (default: ${DEFAULT-VALUE}).")
    long bytesPerSecond;

    RemoteCosts costs() {
        return new RemoteCosts(cacheBytes, epochs, requestPrice, bytePrice, latencyMillis / 1000, bytesPerSecond);
    }

    /// Parses a size such as `50GB`.
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long bytes = CacheOptions.bytes(text);
            if (bytes < 0) {
                throw new TypeConversionException(text + " is not a size such as 50GB or 512MiB");
            }
            return bytes;
        }
    }
}
