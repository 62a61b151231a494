// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Command;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about a store.
abstract class StorefileCommand extends Command {
    @Spec
    CommandSpec spec;

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
    /// @param done the first words of the line that is printed
    void change(String done, Change change) throws IOException {
        change(done, StoreOptions.DEFAULT, change);
    }

    /// Does the same with a store that is written in a certain way.
    void change(String done, StoreOptions options, Change change) throws IOException {
        long start = System.nanoTime();
        Map<String, Object> figures = new LinkedHashMap<>();
        StoreWriter writer = StoreWriter.open(path, options);
        try {
            change.make(writer, figures);
            figures.put("commit", writer.commit());
            figures.put("records", writer.count());
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        report(done, figures, start);
    }

    void report(String done, Map<String, Object> figures, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("store", path);
            json.putAll(figures);
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        StringBuilder line = new StringBuilder(done + " " + path);
        figures.forEach((name, value) -> line.append(", ")
                .append(name)
                .append(' ')
                .append(value instanceof Long number ? Text.number(number) : value));
        remark(line + " in " + Text.seconds(seconds));
    }

    CommandLine.ParameterException usage(String what) {
        return new CommandLine.ParameterException(spec.commandLine(), what);
    }
}
