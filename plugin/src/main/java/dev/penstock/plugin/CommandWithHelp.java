// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import picocli.CommandLine.Option;

/// The option `--help`, which every command has.
public abstract class CommandWithHelp {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    public boolean isHelp;
}
