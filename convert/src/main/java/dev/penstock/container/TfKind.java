// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.List;

/// TFRecord files, also compressed with gzip or Zstandard, or a folder of them. The CRC of the first length tells
/// them from other files.
public final class TfKind implements SourceKind {
    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a TFRecord file";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return candidate.kind() == Candidate.Kind.FOLDER
                ? ShardFolder.has(candidate, TfKind::isNamed)
                : TfFrames.isFrame(UnpackedHead.of(candidate));
    }

    /// Shards of TFDS are called `NAME.tfrecord-00000-of-00010`.
    private static boolean isNamed(Location file) {
        return file.name().contains(".tfrecord");
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return open(ShardFolder.files(location, options.catalog().reading(), TfKind::isNamed), options);
    }

    @Override
    public RecordSource open(List<Location> locations, SourceOptions options) throws IOException {
        return TfRecords.open(SourceFile.of(locations, options.catalog().reading()), options);
    }
}
