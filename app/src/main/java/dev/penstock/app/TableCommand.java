// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;

/// The commands that only tables have.
@CommandLine.Command(
        name = "table",
        header = "Rows of fixed width in NumPy's files (.npy), one or a folder of them.",
        subcommands = {TableWriteCommand.class, TableAppendCommand.class, TableSelectCommand.class},
        footer = {"", "Example:", "  penstock table write --input steps.csv --output steps.npy"})
final class TableCommand extends CommandGroup {}
