// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.query.Where;
import picocli.CommandLine.Option;

/// The option of all commands that read some of the records of a dataset.
public final class WhereOption {
    @Option(
            names = "--where",
            paramLabel = "COND",
            description = "Use only records that match this condition (see select).")
    public String condition;

    /// Returns the condition for the fields of a dataset, or null when none is given.
    public Where parsed(Dataset dataset) {
        return condition == null ? null : Where.parse(condition, dataset.conditionFields());
    }
}
