// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandWithHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/// Prints the manual page of all commands, or writes the reference pages of the documentation.
@CommandLine.Command(
        name = "man",
        header = "Print the manual page of all commands.",
        description = "With --markdown, write the pages of docs/reference into a folder instead.",
        footer = {
            "",
            "Example:",
            "  penstock man | man -l -",
            "  penstock man > ~/.local/share/man/man1/penstock.1",
            "  penstock man --markdown docs/reference"
        })
final class ManualCommand extends CommandWithHelp implements Runnable {
    @CommandLine.Spec
    CommandSpec spec;

    @Option(names = "--markdown", paramLabel = "FOLDER", description = "Write a page of Markdown for each command.")
    Path folder;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        if (folder == null) {
            out.print(CommandPages.manual());
            return;
        }
        try {
            Files.createDirectories(folder);
            for (Map.Entry<String, String> page : CommandPages.markdown().entrySet()) {
                Files.writeString(folder.resolve(page.getKey()), page.getValue());
                out.println(folder.resolve(page.getKey()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
