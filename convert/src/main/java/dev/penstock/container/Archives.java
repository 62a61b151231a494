// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Archives whose files are the values of records: WebDataset, and any other tar or zip archive.
public abstract sealed class Archives implements SourceKind {
    private static final List<String> ENDINGS = List.of(".tar", ".tar.gz", ".tgz", ".tar.zst");

    private final String description;
    private final String kind;

    private Archives(String description, String kind) {
        this.description = description;
        this.kind = kind;
    }

    /// Tar archives, also compressed with gzip or Zstandard, or a folder of them.
    public static final class Tar extends Archives {
        public Tar() {
            super("a tar archive, such as a shard of a WebDataset", "tar");
        }

        @Override
        public boolean isSkipping() {
            return true;
        }

        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.kind() == Candidate.Kind.FOLDER
                    ? ShardFolder.has(candidate, ENDINGS)
                    : TarHeader.isHeader(UnpackedHead.of(candidate));
        }

        @Override
        Members members(SourceFile file) throws IOException {
            return new TarMembers(file.open());
        }
    }

    /// Zip archives that are not datasets; an `.npz` file is one.
    public static final class Zip extends Archives {
        /// Where the first header has the size of the name, and the name.
        private static final int SIZE_OFFSET = 26;

        private static final int NAME_OFFSET = 30;

        public Zip() {
            super("a zip archive", "zip");
        }

        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            boolean isZip = candidate.startsWith((byte) 'P', (byte) 'K', (byte) 3, (byte) 4);
            return isZip && !candidate.location().name().endsWith(".npz") && !beginsWithArray(candidate.head());
        }

        /// Whether the first file of an archive is an array of NumPy, as in an `.npz` file with another name.
        private static boolean beginsWithArray(byte[] head) {
            int size = head.length > NAME_OFFSET ? head[SIZE_OFFSET] & 0xff | (head[SIZE_OFFSET + 1] & 0xff) << 8 : 0;
            int length = Math.min(size, Math.max(0, head.length - NAME_OFFSET));
            return new String(head, Math.min(NAME_OFFSET, head.length), length, StandardCharsets.ISO_8859_1)
                    .endsWith(".npy");
        }

        @Override
        Members members(SourceFile file) throws IOException {
            return ZipMembers.open(file);
        }
    }

    abstract Members members(SourceFile file) throws IOException;

    @Override
    public String description() {
        return description;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return open(ShardFolder.files(location, options.catalog().reading(), ENDINGS), options);
    }

    @Override
    public RecordSource open(List<Location> locations, SourceOptions options) throws IOException {
        List<SourceFile> files = SourceFile.of(locations, options.catalog().reading());
        return SampleRecords.open(kind, files, this::members, options);
    }
}
