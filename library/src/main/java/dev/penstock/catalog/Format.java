// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import java.io.IOException;
import java.nio.file.Path;

/// A format that [Catalog] can open.
///
/// Another module adds one by naming its class in `META-INF/services/dev.penstock.catalog.Format`. Formats of
/// other modules are asked before those of the library, so that they may also refine one: a folder that is a
/// table and something more.
///
/// **Threads.** Any number.
public interface Format {
    /// The name of the format, as [Dataset#format] has it.
    String format();

    /// Whether a candidate is of this format, by its first bytes or the names in its folder. Damage behind them is
    /// for [#open] to find.
    boolean recognises(Candidate candidate) throws IOException;

    /// Opens what was recognised.
    ///
    /// @throws DatasetException when it is damaged, or no dataset of records
    Dataset open(Path path, Catalog.Options options) throws IOException;

    /// Checks every byte of what was recognised, read as leniently as possible so that most is checked.
    default Verification verify(Path path, Catalog.Options options, Progress progress) throws IOException {
        try (Dataset dataset = open(path, options.withLenient(true))) {
            return dataset.verify(progress);
        }
    }
}
