// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.file.Location;
import dev.penstock.file.ObjectTags;
import dev.penstock.file.ObjectWriter;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The upload of one file: a small one by one request, a large one in parts.
///
/// What an interrupted upload left is found at the server, by the tags of objects and parts, which are checksums
/// of their bytes. So nothing has to be remembered on this machine, and bytes of another file are never kept.
///
/// **Threads.** Safe for any number of threads.
final class ObjectUpload {
    private final CopySource source;
    private final CopySource.Entry file;
    private final CopyParts parts;
    private final ObjectWriter writer;
    private final Location object;
    private final boolean isNew;
    private final boolean isContinued;
    /// The tags of the parts that were written or found.
    private final String[] tags;

    private boolean isBegun;
    private String upload;
    /// The object as an earlier copy has left it, or null.
    private ObjectWriter.Found found;

    private SortedMap<Integer, String> there = new TreeMap<>();
    private int doneCount;

    /// @param isNew       whether the object must not exist
    /// @param isContinued whether an earlier copy may have completed the object
    ObjectUpload(
            CopySource source,
            CopySource.Entry file,
            ObjectWriter writer,
            Location object,
            boolean isNew,
            boolean isContinued) {
        this.source = source;
        this.file = file;
        this.parts = CopyParts.of(file.size());
        this.writer = writer;
        this.object = object;
        this.isNew = isNew;
        this.isContinued = isContinued;
        this.tags = new String[parts.count()];
    }

    /// @return the bytes that did not have to be sent
    long write(int part) throws IOException {
        begin();
        byte[] bytes = source.read(file, parts.offset(part), parts.sizeOf(part));
        String tag = ObjectTags.of(bytes);
        if (tags.length == 1) {
            return writeWhole(bytes, tag);
        }
        boolean isKept = found != null || ObjectTags.isSame(there.getOrDefault(part + 1, ""), tag);
        tags[part] = isKept ? tag : writer.putPart(object, upload, part + 1, bytes);
        if (found == null && tags[part].isEmpty()) {
            tags[part] = tag;
        }
        long kept = isKept ? bytes.length : 0;
        return isLast() ? kept - complete() : kept;
    }

    private long writeWhole(byte[] bytes, String tag) throws IOException {
        if (found != null && ObjectTags.isSame(found.etag(), tag)) {
            return bytes.length;
        }
        writer.put(object, bytes, isNew);
        return 0;
    }

    private synchronized boolean isLast() {
        return ++doneCount == tags.length;
    }

    private synchronized void begin() throws IOException {
        if (isBegun) {
            return;
        }
        if (isContinued) {
            ObjectWriter.Found object = writer.find(this.object);
            found = object != null && object.size() == file.size() ? object : null;
        }
        if (tags.length > 1 && found == null) {
            upload = unfinished();
            if (upload == null) {
                upload = writer.begin(object);
            }
        }
        isBegun = true;
    }

    /// The upload of an interrupted copy with the most parts, or null. Its parts are those of this file, as far as
    /// the first of them shows.
    private String unfinished() throws IOException {
        String best = null;
        for (String one : writer.unfinished(object)) {
            SortedMap<Integer, String> found = partsOf(one);
            boolean isOurs = !found.isEmpty() && found.lastKey() <= tags.length && isSame(found);
            if (isOurs && found.size() > there.size()) {
                best = one;
                there = found;
            }
        }
        return best;
    }

    private SortedMap<Integer, String> partsOf(String upload) throws IOException {
        try {
            return writer.parts(object, upload);
        } catch (NoSuchFileException e) {
            // It was completed or given up meanwhile.
            return new TreeMap<>();
        }
    }

    private boolean isSame(SortedMap<Integer, String> found) throws IOException {
        int part = found.firstKey() - 1;
        byte[] bytes = source.read(file, parts.offset(part), parts.sizeOf(part));
        return ObjectTags.isSame(found.get(part + 1), ObjectTags.of(bytes));
    }

    /// @return the bytes that were not kept after all
    private long complete() throws IOException {
        if (found == null) {
            writer.complete(object, upload, List.of(tags), isNew);
            upload = null;
            return 0;
        }
        if (ObjectTags.isSame(ObjectTags.ofParts(List.of(tags)), found.etag())) {
            return 0;
        }
        // An object of the same size with other bytes, or with a tag that is no checksum.
        upload = writer.begin(object);
        Arrays.setAll(tags, part -> "");
        for (int part = 0; part < tags.length; part++) {
            byte[] bytes = source.read(file, parts.offset(part), parts.sizeOf(part));
            tags[part] = writer.putPart(object, upload, part + 1, bytes);
        }
        writer.complete(object, upload, List.of(tags), isNew);
        upload = null;
        return file.size();
    }

    /// Gives up the upload, if it was begun and is not complete.
    synchronized void abort() throws IOException {
        if (upload != null) {
            writer.abort(object, upload);
            upload = null;
        }
    }
}
