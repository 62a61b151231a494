// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.zip.CRC32C;

/// Writes a copy to a disk: into a [WorkFolder] beside the target, which is published when it is complete.
///
/// A file in that folder notes each part that was written, with its checksum. The next attempt reads these parts
/// back, so that what a power failure has lost is copied again.
final class DiskTarget implements CopyTarget {
    private final CopySource source;
    private final Path path;
    private final Disk disk;
    private final ReaderOptions reading;
    private final boolean isReplacing;
    private final AtomicIntegerArray left;
    private final Map<Integer, Disk.Writable> open = new HashMap<>();
    /// The checksums of the parts that an interrupted copy has written, by file and part.
    private final Map<String, Long> written = new HashMap<>();

    private WorkFolder work;
    private Disk.Writable progress;
    private long progressEnd;

    DiskTarget(CopySource source, Location target, ReaderOptions reading, boolean isReplacing) {
        this.source = source;
        this.path = target.path();
        this.disk = reading.disk();
        this.reading = reading;
        this.isReplacing = isReplacing;
        this.left = new AtomicIntegerArray(source.files().stream()
                .mapToInt(file -> CopyParts.of(file.size()).count())
                .toArray());
    }

    @Override
    public void begin() throws IOException {
        WorkFolder.requireReplaceable(disk, path, isReplacing, oldNames());
        work = WorkFolder.open(disk, path, OwnNames.of(patterns(names(source))));
        boolean isResumed = work.resume(note(), true);
        if (isResumed && disk.exists(work.progress())) {
            readProgress();
        } else {
            disk.deleteAll(work.data());
        }
        createFolders();
        progress = disk.exists(work.progress()) ? disk.openForWriting(work.progress()) : disk.create(work.progress());
        progressEnd = progress.size();
    }

    private Map<String, ?> note() {
        Map<String, Object> note = new LinkedHashMap<>();
        note.put("copy", source.fingerprint());
        note.put("format", source.format());
        note.put("bytes", source.bytes());
        note.put("files", source.digest(true));
        return note;
    }

    private static List<String> names(CopySource source) {
        return source.files().stream().map(CopySource.Entry::name).toList();
    }

    /// The names of files and their folders as patterns.
    private static List<String> patterns(List<String> names) {
        // Opening a store has made the file of its readers' locks.
        TreeSet<String> patterns = new TreeSet<>(List.of(".lease"));
        for (String name : names) {
            patterns.add(name.replaceAll("([*?\\[\\]{}\\\\])", "\\\\$1"));
            for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
                patterns.add(name.substring(0, slash + 1));
            }
        }
        return new ArrayList<>(patterns);
    }

    /// The names in a folder that is replaced.
    private List<String> oldNames() throws IOException {
        if (!isReplacing || !disk.isDirectory(path)) {
            return List.of();
        }
        Optional<Format> format = Catalog.format(path, Catalog.Options.DEFAULT.withDisk(disk));
        if (format.isEmpty()) {
            return List.of();
        }
        List<String> names = new ArrayList<>(patterns(format.get()
                .files(Location.of(path), Catalog.Options.DEFAULT.withDisk(disk))
                .names()));
        Targets.named(format.get().format()).ifPresent(target -> names.addAll(target.folderNames()));
        return names;
    }

    private void readProgress() throws IOException {
        try (Disk.Readable file = disk.open(work.progress())) {
            byte[] bytes = new byte[Math.toIntExact(file.size())];
            file.read(0, MemorySegment.ofArray(bytes));
            for (String line : new String(bytes, StandardCharsets.US_ASCII).split("\n")) {
                String[] words = line.split(" ");
                if (words.length == 3 && words[2].matches("[0-9a-f]{8}")) {
                    written.put(words[0] + " " + words[1], Long.parseLong(words[2], 16));
                }
            }
        }
    }

    private void createFolders() throws IOException {
        if (!source.isFolder()) {
            return;
        }
        disk.createDirectory(work.data());
        for (String pattern : patterns(names(source))) {
            if (pattern.endsWith("/")) {
                disk.createDirectory(work.data().resolve(pattern));
            }
        }
    }

    private Path place(CopySource.Entry file) {
        return file.name().isEmpty() ? work.data() : work.data().resolve(file.name());
    }

    @Override
    public long write(int file, int part) throws IOException {
        CopySource.Entry entry = source.files().get(file);
        CopyParts parts = CopyParts.of(entry.size());
        int size = parts.sizeOf(part);
        boolean isKept = isWritten(file, part, parts);
        if (!isKept) {
            byte[] bytes = source.read(entry, parts.offset(part), size);
            write(file, part, parts.offset(part), bytes);
        }
        if (left.decrementAndGet(file) == 0) {
            finish(file);
        }
        return isKept ? size : 0;
    }

    private boolean isWritten(int file, int part, CopyParts parts) throws IOException {
        Long crc = written.get(file + " " + part);
        Path place = place(source.files().get(file));
        if (crc == null || !disk.exists(place)) {
            return false;
        }
        byte[] bytes = new byte[parts.sizeOf(part)];
        try (Disk.Readable readable = disk.open(place)) {
            return readable.read(parts.offset(part), MemorySegment.ofArray(bytes)) == bytes.length && crc(bytes) == crc;
        }
    }

    private static long crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }

    private synchronized void write(int file, int part, long offset, byte[] bytes) throws IOException {
        Disk.Writable target = open.get(file);
        if (target == null) {
            Path place = place(source.files().get(file));
            target = disk.exists(place) ? disk.openForWriting(place) : disk.create(place);
            open.put(file, target);
        }
        target.write(MemorySegment.ofArray(bytes), offset);
        byte[] line = String.format("%d %d %08x%n", file, part, crc(bytes)).getBytes(StandardCharsets.US_ASCII);
        progress.write(MemorySegment.ofArray(line), progressEnd);
        progressEnd += line.length;
    }

    private void finish(int file) throws IOException {
        Disk.Writable target;
        synchronized (this) {
            target = open.remove(file);
        }
        if (target != null) {
            try (target) {
                target.force();
            }
        }
    }

    @Override
    public void verify() throws IOException {
        Location data = Location.of(work.data());
        Verification found = Catalog.verify(data, Catalog.Options.DEFAULT.withDisk(disk), Progress.NONE);
        if (!found.isOk()) {
            throw DatasetCopy.differs(
                    Location.of(path),
                    "its verification found " + found.problems().getFirst().what());
        }
        if (!CopySource.fingerprint(data, ReaderOptions.DEFAULT.withDisk(disk)).equals(source.fingerprint())) {
            throw DatasetCopy.differs(Location.of(path), "it has another fingerprint");
        }
    }

    @Override
    public void publish() throws IOException {
        progress.close();
        forceFolders(work.data());
        work.publish();
    }

    private void forceFolders(Path folder) throws IOException {
        if (disk.kind(folder) != Disk.FileKind.FOLDER) {
            return;
        }
        for (Path inside : disk.list(folder)) {
            forceFolders(inside);
        }
        disk.forceDirectory(folder);
    }

    @Override
    public void fail(Throwable failure) {
        if (failure instanceof DatasetException) {
            closeFiles(failure);
            work.removeAfter(failure);
        }
    }

    private synchronized void closeFiles(Throwable failure) {
        for (Disk.Writable file : open.values()) {
            try {
                file.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        open.clear();
    }

    @Override
    public void close() throws IOException {
        for (Disk.Writable file : open.values()) {
            file.close();
        }
        if (progress != null) {
            progress.close();
        }
        if (work != null) {
            work.close();
        }
    }
}
