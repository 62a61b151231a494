// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// A word that needs another word behind it.
abstract class CommandGroup implements Runnable {
    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;

    @Override
    public void run() {
        String words = String.join(", ", spec.subcommands().keySet());
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: " + words);
    }
}
