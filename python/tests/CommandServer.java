// SPDX-License-Identifier: Apache-2.0

import dev.penstock.plugin.Console;
import dev.penstock.app.Main;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;

/// Runs commands one after another, for tests that would otherwise start a process for each. A line of input has the
/// words of a command, in the encoding of URLs; a line of output has its exit code, its output and its errors, in
/// base 64.
final class CommandServer {
    private CommandServer() {}

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = Stream.of(line.split(" "))
                    .map(word -> URLDecoder.decode(word, StandardCharsets.UTF_8))
                    .toArray(String[]::new);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Console console = new Console(InputStream.nullInputStream(), stream(out), stream(err), () -> false);
            int exitCode = Main.run(console, words);
            console.out().flush();
            console.err().flush();
            System.out.println(exitCode + " " + text(out) + " " + text(err));
        }
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, false, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
