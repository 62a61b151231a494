// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/// Where a command reads and writes.
///
/// @param in           what a command is given to read
/// @param out          data
/// @param err          everything else
/// @param isWatched    whether a person is looking at `err`, so that progress is worth drawing
public record Console(InputStream in, PrintStream out, PrintStream err, boolean isWatched) {
    PrintWriter errWriter() {
        return new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true);
    }

    void flush() {
        out.flush();
        err.flush();
    }
}
