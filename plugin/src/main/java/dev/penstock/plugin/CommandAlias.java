// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.io.IOException;
import java.nio.file.Path;

/// Another name of a command for datasets of one kind, as `steps export` is `export`.
///
/// The class has the annotation [picocli.CommandLine.Command] with the name and the texts of the help. The options
/// are those of the command itself, and `--dataset`, which gives the dataset as an option.
public interface CommandAlias {
    /// The name of the command of the first level, such as `export`.
    String command();

    /// Rejects a dataset of another kind.
    void require(Path path) throws IOException;
}
