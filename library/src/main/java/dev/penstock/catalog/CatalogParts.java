// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import dev.penstock.shards.ShardReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A folder whose `parts.json` lists datasets of one format that are read as one: what [PartsCommit] publishes.
final class CatalogParts implements Format {
    @Override
    public String format() {
        return "parts";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return candidate.kind() != Candidate.Kind.FILE && PartList.isIn(candidate.storage(), candidate.location());
    }

    @Override
    public DatasetFiles files(Location folder, Catalog.Options options) throws IOException {
        List<String> names = new ArrayList<>();
        for (DatasetPart part :
                PartList.read(options.reading().storageOf(folder), folder).parts()) {
            Candidate candidate = Candidate.at(folder.resolve(part.name()), options.reading());
            if (candidate.kind() == Candidate.Kind.FILE) {
                names.add(part.name());
                continue;
            }
            Format format = Catalog.format(candidate)
                    .orElseThrow(() -> new DatasetException.Corrupt(
                            candidate.location(), 0, Reason.MISSING_SHARD, "the part is missing"));
            format.files(candidate.location(), options).names().forEach(name -> names.add(part.name() + "/" + name));
        }
        return DatasetFiles.committed(names, PartList.NAME);
    }

    @Override
    public Dataset open(Location folder, Catalog.Options options) throws IOException {
        PartList list = PartList.read(options.reading().storageOf(folder), folder);
        List<Location> files =
                list.parts().stream().map(part -> folder.resolve(part.name())).toList();
        if (files.isEmpty()) {
            throw new DatasetException.WrongFormat(folder, "the list of its parts is empty; write the dataset again");
        }
        Dataset dataset = list.kind().equals("shards")
                ? ShardReader.open(files, options.shards())
                : DatasetList.open(folder, files, list.metadata(), options);
        if (dataset.count() != list.records()) {
            long count = dataset.count();
            dataset.close();
            throw new DatasetException.Corrupt(
                    folder.resolve(PartList.NAME),
                    0,
                    Reason.SHARD_MISMATCH,
                    "it lists " + list.records() + " records, but the parts have " + count
                            + "; write the dataset again");
        }
        return dataset;
    }
}
