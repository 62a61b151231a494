// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine.Option;

/// The option `--help`, which every command has.
abstract class CommandWithHelp {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;
}
