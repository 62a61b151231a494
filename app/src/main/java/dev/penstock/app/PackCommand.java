// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;

/// The commands that only packs have.
@CommandLine.Command(
        name = "pack",
        aliases = "a2pack",
        header = "One immutable file of many byte records (A2PACK).",
        subcommands = {
            PackBuildCommand.class,
            PackValidateCommand.class,
            PackStatsCommand.class,
            PackExtractCommand.class,
            PackInspectCommand.class
        },
        footer = {"", "Example:", "  penstock pack build --input runs --output runs.a2pack"})
final class PackCommand extends CommandGroup {}
