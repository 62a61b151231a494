// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import dev.penstock.shards.ShardFormat;
import dev.penstock.shards.ShardReader;
import java.io.IOException;

/// The format of activation shards. It is asked last: a file with the extension of a shard and no known magic
/// number is a damaged shard.
final class CatalogShards implements Format {
    @Override
    public String format() {
        return "shards";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return switch (candidate.kind()) {
            case FILE ->
                candidate.startsWith(ShardFormat.family())
                        || candidate.location().name().endsWith(ShardFormat.EXTENSION);
            case FOLDER, ABSENT -> ShardReader.isCorpus(candidate.storage(), candidate.location());
        };
    }

    @Override
    public Dataset open(Location location, Catalog.Options options) throws IOException {
        return ShardReader.open(location, options.shards());
    }

    @Override
    public DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
        return ShardReader.files(options.reading().storageOf(folder), folder);
    }

    /// Reads as much as possible. What a strict reader rejects is an error unless the options are lenient.
    @Override
    public Verification verify(Location location, Catalog.Options options, Progress progress) throws IOException {
        try (ShardReader shards = ShardReader.open(location, options.shards().withLenient(true))) {
            return shards.verify(progress, options.isLenient());
        } catch (DatasetException e) {
            if (!options.isLenient()) {
                // The strict reader reports all problems; the lenient one has left out those that it accepts.
                ShardReader.open(location, options.shards()).close();
            }
            throw e;
        }
    }
}
