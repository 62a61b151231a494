// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/// Where a command reads and writes.
///
/// @param in           what a command is given to read
/// @param out          data
/// @param err          everything else
/// @param watched      whether a person is looking at `err`, so that progress is worth drawing; asked only when
///                     there is progress to draw, because the native call behind it slows down the start
public record Console(InputStream in, PrintStream out, PrintStream err, BooleanSupplier watched) {
    PrintWriter errWriter() {
        return new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true);
    }

    boolean isWatched() {
        return watched.getAsBoolean();
    }

    void flush() {
        out.flush();
        err.flush();
    }
}
