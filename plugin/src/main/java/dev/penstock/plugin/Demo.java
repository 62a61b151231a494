// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

/// The output of `penstock demo`.
public interface Demo {
    /// Prints a line, or keeps its value for the JSON output.
    void show(String key, Object value, String line);

    /// Keeps a value for the JSON output only.
    void note(String key, Object value);

    /// Prints a line unless the output is JSON.
    void say(String line);

    /// Creates a progress bar.
    ProgressBar progress(String label, ProgressBar.Unit unit);
}
