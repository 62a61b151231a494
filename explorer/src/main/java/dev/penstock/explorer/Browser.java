// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/// Opens addresses in the browser of the user.
final class Browser {
    private Browser() {}

    /// Asks the system to open an address. Where there is no browser, as on a server, nothing happens.
    static void open(URI address) {
        boolean isMac = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
        try {
            new ProcessBuilder(List.of(isMac ? "open" : "xdg-open", address.toString()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            // The address is on the terminal.
        }
    }
}
