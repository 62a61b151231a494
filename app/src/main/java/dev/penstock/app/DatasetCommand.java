// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about one existing dataset of any format.
abstract class DatasetCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "PATH", description = "The dataset, of any format.")
    Path path;

    @Mixin
    AccessOption io;

    @Option(
            names = "--lenient",
            description = "Read the shard files of a folder as they are when its manifest.json is damaged, newer than"
                    + " this program, or lists missing files. Accept activation shards that only their original"
                    + " reader accepts.")
    boolean isLenient;

    Dataset open() throws IOException {
        Dataset dataset = Catalog.open(path, io.options().withLenient(isLenient));
        if (isLenient) {
            dataset.remarks().forEach(this::remark);
        }
        return dataset;
    }

    /// @throws CommandLine.ParameterException when there is no such record
    static long requireRecord(CommandSpec spec, Dataset dataset, long index) {
        if (index < 0 || index >= dataset.count()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "no record " + index + ": " + dataset.location() + " has " + Text.number(dataset.count())
                            + " records" + (dataset.count() == 0 ? "" : ", 0 to " + (dataset.count() - 1)));
        }
        return index;
    }
}
