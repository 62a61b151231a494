// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import picocli.CommandLine;

/// Creates the commands of the command line.
public interface CommandFactory extends CommandLine.IFactory {
    /// Creates the command that an alias names, with the texts of the alias.
    CommandLine alias(CommandAlias alias) throws Exception;
}
