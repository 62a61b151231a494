// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;

/// The commands that only trees have.
@CommandLine.Command(
        name = "tree",
        header = "One immutable file from byte paths to unsigned 64-bit values (ACTree03).",
        description = {
            "",
            "Keys are shown and typed as UTF-8 text. A backslash is \\\\, tab, newline and carriage return are \\t, \\n"
                    + " and \\r, and any other byte can be given as \\x and two hexadecimal digits."
        },
        subcommands = {
            TreeBuildCommand.class,
            TreeGetCommand.class,
            TreeListCommand.class,
            TreeDumpCommand.class,
            TreeStatsCommand.class
        },
        footer = {"", "Example:", "  penstock tree build --input words.txt --output words.act --unsorted"})
final class TreeCommand extends CommandGroup {}
