// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.DatasetException;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
import dev.penstock.file.ObjectWriter;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes a copy to a remote storage.
///
/// A dataset of one file is created by the one request that completes its upload, so of two uploads only one can
/// win. A folder has a mark while it is written ([DatasetFiles#COPY_MARK]), which only one copy can create; only a
/// copy of the same data continues where the mark is found. The file that commits the dataset is written last.
final class ObjectTarget implements CopyTarget {
    private static final String OTHER_COPY =
            "a copy of other data to it is under way or was interrupted; wait for it, or replace what is there";

    private final CopySource source;
    private final Location target;
    private final Location mark;
    private final ReaderOptions reading;
    private final Storage storage;
    private final ObjectWriter writer;
    private final boolean isReplacing;
    private final List<ObjectUpload> uploads = new ArrayList<>();
    /// The files of a dataset that is replaced and that the new one does not have.
    private final List<Location> old = new ArrayList<>();

    ObjectTarget(CopySource source, Location target, ReaderOptions reading, boolean isReplacing) {
        this.source = source;
        this.target = target;
        this.mark = target.resolve(DatasetFiles.COPY_MARK);
        this.reading = reading;
        this.storage = reading.storageOf(target);
        this.writer = storage.writer(target);
        this.isReplacing = isReplacing;
    }

    private Location place(String name) {
        return name.isEmpty() ? target : target.resolve(name);
    }

    @Override
    public void begin() throws IOException {
        boolean isContinued = source.isFolder() && beginFolder();
        if (!source.isFolder() && !isReplacing && (writer.find(target) != null || storage.isFolder(target))) {
            throw new FileAlreadyExistsException(target.toString());
        }
        for (CopySource.Entry file : source.files()) {
            // The mark keeps others away from the files of a folder.
            boolean isNew = !source.isFolder() && !isReplacing;
            uploads.add(new ObjectUpload(source, file, writer, place(file.name()), isNew, isContinued));
        }
    }

    /// Marks the folder as one that is being written.
    ///
    /// @return whether a copy of the same data was interrupted
    private boolean beginFolder() throws IOException {
        byte[] note = note();
        byte[] found = ChecksummedJson.read(storage, mark);
        if (found != null && Arrays.equals(found, note)) {
            return true;
        }
        if (found != null && !isReplacing) {
            throw new FileAlreadyExistsException(target.toString(), null, OTHER_COPY);
        }
        if (!isReplacing && (storage.isFolder(target) || writer.find(target) != null)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        DatasetFiles replaced = isReplacing ? replaced() : null;
        try {
            writer.put(mark, note, !isReplacing);
        } catch (FileAlreadyExistsException e) {
            throw new FileAlreadyExistsException(target.toString(), null, OTHER_COPY);
        }
        if (replaced != null) {
            hide(replaced);
        }
        return false;
    }

    private byte[] note() {
        Map<String, Object> note = new LinkedHashMap<>();
        note.put("format", "penstock copy");
        note.put("version", 1);
        note.put("fingerprint", source.fingerprint());
        note.put("bytes", source.bytes());
        note.put("files", source.digest(false));
        return ChecksummedJson.write(note);
    }

    /// The files of the dataset that is replaced, or null when there is none, or a damaged one.
    private DatasetFiles replaced() throws IOException {
        // The mark of another copy would hide the files that it left.
        writer.delete(mark);
        Catalog.Options options = Catalog.Options.DEFAULT.withReading(reading);
        try {
            Optional<Format> format = storage.isFolder(target) ? Catalog.format(target, options) : Optional.empty();
            return format.isEmpty() ? null : format.get().files(target, options);
        } catch (DatasetException e) {
            return null;
        }
    }

    /// Hides the dataset that is replaced, so that a reader never mixes files of the old and the new one.
    private void hide(DatasetFiles files) throws IOException {
        List<String> own = source.files().stream().map(CopySource.Entry::name).toList();
        files.names().stream()
                .filter(name -> !own.contains(name))
                .map(this::place)
                .forEach(old::add);
        if (files.hasCommit()) {
            writer.delete(place(files.names().getLast()));
        }
    }

    @Override
    public long write(int file, int part) throws IOException {
        return uploads.get(file).write(part);
    }

    @Override
    public void verify() throws IOException {
        for (Location file : old) {
            writer.delete(file);
        }
        if (source.isFolder() && !source.hasCommit()) {
            // The folder can be opened only without the mark.
            writer.delete(mark);
        }
        String found = CopySource.fingerprint(target, reading);
        if (!found.equals(source.fingerprint())) {
            writer.delete(place(source.files().getLast().name()));
            throw DatasetCopy.differs(
                    target, "it has the fingerprint " + found + " instead of " + source.fingerprint());
        }
    }

    @Override
    public void publish() throws IOException {
        if (source.isFolder() && source.hasCommit()) {
            writer.delete(mark);
        }
    }

    /// Gives up the parts of files that are not complete. Complete files stay for the next attempt.
    @Override
    public void fail(Throwable failure) {
        for (ObjectUpload upload : uploads) {
            try {
                upload.abort();
            } catch (IOException | RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }

    @Override
    public void close() {}
}
