// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about an existing dataset of any format.
abstract class DatasetCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(
            arity = "1",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or address of the dataset, in any format.")
    Location path;

    @Mixin
    AccessOption io = new AccessOption();

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Option(
            names = "--lenient",
            description = "Read all shard files of a folder if its manifest.json is damaged, was written by a newer"
                    + " version, or lists missing files. Accept activation shards that only their original"
                    + " reader accepts.")
    boolean isLenient;

    @Option(
            names = "--verify-first",
            description = "Compare each shard of a table with its checksum in manifest.json before its first row is"
                    + " read. Packs and stores compare every record anyway. A dataset without checksums is refused.")
    boolean hasFirstCheck;

    @Mixin
    DtypeOption dtype = new DtypeOption();

    /// The other name of this command that was called, or null.
    AliasLine alias;

    /// The options for opening the dataset.
    Catalog.Options options() {
        return dtype.of(io.options().withLenient(isLenient).withFirstCheck(hasFirstCheck));
    }

    Dataset open() throws IOException {
        path = alias == null ? path : alias.require(spec, path);
        Dataset dataset = Catalog.open(snapshot.of(path), options());
        if (isLenient) {
            dataset.remarks().forEach(this::remark);
        }
        return dataset;
    }
}
