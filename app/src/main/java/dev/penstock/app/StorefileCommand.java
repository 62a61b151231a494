// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Command;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about a store.
abstract class StorefileCommand extends Command {
    @Spec
    CommandSpec spec;

    /// The state of a store after a change, as the end of a sentence.
    static final String STATE = " ({records|record}, commit {commit})";

    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)(?:\\|(\\w+))?}");

    @Parameters(index = "0", arity = "1", paramLabel = "PATH", description = "The folder of the store.")
    Path path;

    /// A change to a store.
    @FunctionalInterface
    interface Change {
        /// @param figures receives the values to report
        void make(StoreWriter writer, Map<String, Object> figures) throws IOException;
    }

    /// Opens the store, makes changes, commits them and reports. After a failure, uncommitted changes are
    /// discarded.
    ///
    /// @param sentence see [#report]; the state of the store follows it
    void change(String sentence, Change change) throws IOException {
        long start = System.nanoTime();
        Map<String, Object> figures = new LinkedHashMap<>();
        StoreWriter writer = StoreWriter.open(path, StoreOptions.DEFAULT);
        try {
            change.make(writer, figures);
            figures.put("commit", writer.commit());
            figures.put("records", writer.count());
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        report(sentence + STATE, figures, start);
    }

    /// Prints what was done: the figures as JSON, or a sentence for people.
    ///
    /// @param sentence the sentence without its end; `{name}` stands for a figure, and `{name|record}` for a
    ///                 number of records
    void report(String sentence, Map<String, Object> figures, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("store", path);
            json.putAll(figures);
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        Map<String, Object> places = new LinkedHashMap<>(figures);
        places.put("store", path);
        String line = PLACE.matcher(sentence)
                .replaceAll(place -> Matcher.quoteReplacement(text(places.get(place.group(1)), place.group(2))));
        remark(line + " in " + Text.seconds(seconds) + ".");
    }

    private static String text(Object value, String noun) {
        String text = switch (value) {
            case Long number -> Text.number(number);
            case List<?> several -> several.stream().map(String::valueOf).collect(Collectors.joining(", "));
            default -> String.valueOf(value);
        };
        return noun == null ? text : text + " " + noun + (text.equals("1") ? "" : "s");
    }

    CommandLine.ParameterException usage(String what) {
        return new CommandLine.ParameterException(spec.commandLine(), what);
    }
}
