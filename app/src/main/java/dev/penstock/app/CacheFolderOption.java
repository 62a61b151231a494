// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.CacheOptions;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/// The folder of a cache.
final class CacheFolderOption {
    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description = "The folder of the cache (default: that of PENSTOCK_CACHE, or penstock in the user's cache"
                    + " folder).")
    Path folder;

    Path folder() {
        CacheOptions usual = CacheOptions.ofEnvironment();
        return folder != null ? folder : usual.isOn() ? usual.folder() : CacheOptions.defaultFolder();
    }
}
