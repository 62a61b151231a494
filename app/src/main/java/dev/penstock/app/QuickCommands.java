// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Console;

/// Command lines that are parsed without picocli, because picocli takes longer to examine the annotations of a
/// command than these commands take to run.
///
/// They are `info`, `verify` and `fingerprint` with one path, with or without `--json`. Everything else, including
/// invalid command lines, is parsed by picocli, so that help and usage errors are in one place.
///
/// `info`, `verify` and `fingerprint` of a path are read without picocli. Examining their
/// annotations takes twice as long as running them.
final class QuickCommands {
    private QuickCommands() {}

    /// Returns the command that the arguments name, ready to be called, or null when picocli has to parse them.
    static Command find(Console console, String... args) {
        if (args.length < 2 || args.length > 3) {
            return null;
        }
        boolean isJson = args.length == 3 && (args[1].equals("--json") || args[2].equals("--json"));
        String path = isJson && args[1].equals("--json") ? args[2] : args[1];
        // Picocli reads further arguments from a file whose name follows an @.
        if (args.length == 3 && !isJson || path.startsWith("-") || path.startsWith("@")) {
            return null;
        }
        DatasetCommand command = named(args[0]);
        if (command != null) {
            command.console = console;
            try {
                command.path = Location.parse(path);
            } catch (IllegalArgumentException e) {
                // Picocli reports it with the usage of the command.
                return null;
            }
            command.isJson = isJson;
        }
        return command;
    }

    /// The commands that need nothing except what [#find] sets. All their other options have initial values.
    private static DatasetCommand named(String name) {
        return switch (name) {
            case "info" -> new InfoCommand();
            case "verify" -> new VerifyCommand();
            case "fingerprint" -> new FingerprintCommand();
            default -> null;
        };
    }
}
