// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/// The streams of a command.
///
/// @param in           standard input
/// @param out          data
/// @param err          everything else
/// @param watched      whether `err` is a terminal, so that progress is drawn; called only when there is progress
///                     to draw, because its native call slows down the start
/// @param outColours   the colours of `out`
/// @param errColours   the colours of `err`
public record Console(
        InputStream in,
        PrintStream out,
        PrintStream err,
        BooleanSupplier watched,
        Colours outColours,
        Colours errColours) {
    /// A console without colours.
    public Console(InputStream in, PrintStream out, PrintStream err, BooleanSupplier watched) {
        this(in, out, err, watched, Colours.NONE, Colours.NONE);
    }

    public PrintWriter errWriter() {
        return new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true);
    }

    public boolean isWatched() {
        return watched.getAsBoolean();
    }

    public void flush() {
        out.flush();
        err.flush();
    }
}
