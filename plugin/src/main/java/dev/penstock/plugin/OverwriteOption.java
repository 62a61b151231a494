// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import picocli.CommandLine.Option;

/// The option of all commands that write files.
public final class OverwriteOption {
    @Option(
            names = "--overwrite",
            description = "Replace existing output when the new output is complete. A folder is replaced only if it"
                    + " holds a dataset and nothing else.")
    public boolean isGiven;
}
