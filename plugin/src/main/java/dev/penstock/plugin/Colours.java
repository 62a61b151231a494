// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/// The colours of one stream: escape sequences for a terminal, and none for files and pipes.
///
/// Following <https://no-color.org>, colours are off if the variable `NO_COLOR` is set and not empty.
/// `FORCE_COLOR` turns colours on in a pipe.
///
/// @param isOn whether to write escape sequences
public record Colours(boolean isOn) {
    public static final Colours NONE = new Colours(false);

    private static final String RESET = "\u001b[0m";

    /// The colours of a stream of this process.
    ///
    /// @param descriptor 1 for standard output, 2 for standard error
    public static Colours of(int descriptor, Map<String, String> environment) {
        if (!environment.getOrDefault("NO_COLOR", "").isEmpty()) {
            return NONE;
        }
        if (!environment.getOrDefault("FORCE_COLOR", "").isEmpty()) {
            return new Colours(true);
        }
        return new Colours(!"dumb".equals(environment.get("TERM")) && isTerminal(descriptor));
    }

    /// Checks the name of the open file on systems with such names, because a native call would delay every
    /// command by some milliseconds.
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.startsWith("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return descriptor == 1 ? Terminal.isStandardOutput() : Terminal.isStandardError();
        }
    }

    public String title(String text) {
        return styled("1", text);
    }

    public String good(String text) {
        return styled("32", text);
    }

    public String bad(String text) {
        return styled("1;31", text);
    }

    public String hint(String text) {
        return styled("2", text);
    }

    private String styled(String code, String text) {
        return isOn ? "\u001b[" + code + "m" + text + RESET : text;
    }

    /// The setting for the help texts.
    public Ansi ansi() {
        return isOn ? Ansi.ON : Ansi.OFF;
    }
}
