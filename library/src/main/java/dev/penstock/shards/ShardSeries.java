// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.NewRowFile.Published;
import dev.penstock.rows.RollingWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The shards of a folder that is being written: the existing ones, those that a [ShardWriter] adds, and the
/// manifest that lists them.
///
/// **Threads.** One thread at a time.
final class ShardSeries implements RollingWriter.Files<NewRowFile> {
    private final Path folder;
    private final long width;
    private final ShardWriter.Options options;
    private final List<Path> files = new ArrayList<>();
    private final Map<String, Published> published = new HashMap<>();

    ShardSeries(Path folder, long width, ShardWriter.Options options) {
        this.folder = folder;
        this.width = width;
        this.options = options;
    }

    /// Rejects a file at the path of the folder.
    static void requireFolder(Disk disk, Path folder) throws IOException {
        if (disk.exists(folder) && !disk.isDirectory(folder)) {
            throw new FileAlreadyExistsException(folder.toString(), null, "it is a file; shards need a folder");
        }
    }

    /// Rejects a folder that has shards.
    static void requireNoShards(Disk disk, Path folder) throws IOException {
        if (disk.exists(folder) && ShardPaths.hasShards(Storage.of(disk), Location.of(folder))) {
            throw new FileAlreadyExistsException(
                    folder.toString(), null, "it already has shards: resume the corpus, or choose another folder");
        }
    }

    /// Adds the existing shards to the series.
    ///
    /// @return the number of their rows
    /// @throws IllegalArgumentException when the shards have another width or type
    /// @throws dev.penstock.DatasetException when a shard is damaged
    long resume() throws IOException {
        ShardPaths found = ShardPaths.find(storage(), Location.of(folder));
        if (found.files().isEmpty()) {
            return 0;
        }
        long rowCount = 0;
        for (ShardHeader header : ShardFiles.headers(found, reading())) {
            if (header.width() != width || header.type() != options.type()) {
                throw new IllegalArgumentException(folder + " has rows of " + header.width() + " " + header.type()
                        + ", but the new rows are " + width + " " + options.type());
            }
            rowCount = Math.addExact(rowCount, header.rowCount());
        }
        found.files().forEach(file -> files.add(file.path()));
        ShardManifest manifest = options.hasManifest() ? ShardManifest.read(storage(), Location.of(folder)) : null;
        if (manifest != null) {
            manifest.shards().forEach(shard -> published.put(shard.name(), shard));
        }
        return rowCount;
    }

    private Storage storage() {
        return Storage.of(options.disk());
    }

    private ReaderOptions reading() {
        return ReaderOptions.DEFAULT.withDisk(options.disk());
    }

    /// The number of shards on disk.
    int count() {
        return files.size();
    }

    @Override
    public NewRowFile begin() throws IOException {
        String name = files.isEmpty()
                ? ShardNames.first()
                : ShardNames.next(folder, files.getLast().getFileName().toString());
        Path like = files.isEmpty() ? folder.resolve(ShardFormat.MANIFEST) : files.getLast();
        return new NewRowFile(
                NewFile.createLike(options.disk(), folder.resolve(name), like, false),
                width * options.type().size(),
                rows -> ShardHeader.of(rows, width, options.type()).write());
    }

    @Override
    public void end(NewRowFile file) throws IOException {
        Published shard = file.publish();
        files.add(folder.resolve(shard.name()));
        published.put(shard.name(), shard);
    }

    /// Lists all shards in `corpus.json`. The metadata of the previous manifest is kept.
    void publishManifest() throws IOException {
        List<Published> shards = new ArrayList<>();
        for (Path file : files) {
            Published known = published.get(file.getFileName().toString());
            shards.add(known == null ? describe(file) : known);
        }
        ShardManifest before = ShardManifest.read(storage(), Location.of(folder));
        Map<String, String> metadata = new LinkedHashMap<>(before == null ? Map.of() : before.metadata());
        metadata.putAll(options.metadata());
        String fingerprint = ShardFingerprint.of(options.type(), width, shards);
        new ShardManifest(width, options.type().toString(), shards, fingerprint, metadata)
                .publish(options.disk(), folder);
    }

    /// Describes a shard that existed before the manifest.
    private Published describe(Path file) throws IOException {
        try (OpenFile open = OpenFile.open(file, reading())) {
            Crc32c crc = new Crc32c();
            open.forEachPiece(0, open.size(), crc::update);
            MemorySegment head = MemorySegment.ofArray(new byte[(int) ShardFormat.HEADER_SIZE]);
            open.read(0, head);
            long rows = ShardHeader.parse(open.location(), open.size(), head).rowCount();
            String name = Objects.requireNonNull(file.getFileName()).toString();
            return new Published(name, rows, open.size(), ChecksummedJson.hex(crc.value()));
        }
    }
}
