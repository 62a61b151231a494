// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.ImageSize;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// The files of a folder of images, sounds or texts.
///
/// | field             | value                                                                              |
/// |-------------------|------------------------------------------------------------------------------------|
/// | `path`            | the path below the folder                                                          |
/// | `data`, or `text` | the content; of a folder of texts as text                                          |
/// | `width`, `height` | of images: the size in pixels, from the header; missing if it does not tell        |
/// | `class`, `label`  | if all files are in subfolders: the folder of the file, and its number in the order of the
/// names |
/// | others            | the columns of a CSV file beside the files                                         |
record MediaRecords(
        Location folder,
        Storage storage,
        MediaKind.Medium medium,
        List<MediaFolder.Entry> files,
        List<String> classes,
        MediaTable table,
        List<Field> fields,
        SourceOptions options)
        implements RecordSource {
    static MediaRecords open(Location folder, SourceOptions options) throws IOException {
        Storage storage = options.catalog().reading().storageOf(folder);
        MediaKind.Medium medium = MediaFolder.medium(folder, storage);
        if (medium == null) {
            throw new DatasetException.WrongFormat(folder, "the folder has no images, sounds or texts any more");
        }
        List<MediaFolder.Entry> files = MediaFolder.list(folder, storage, medium);
        MediaTable table = MediaTable.open(folder, storage, options);
        List<Field> fields = new ArrayList<>(List.of(Field.variable("path", ElementType.UTF8)));
        fields.add(
                medium == MediaKind.Medium.TEXT
                        ? Field.variable("text", ElementType.UTF8)
                        : Field.variable("data", ElementType.BYTES));
        if (medium == MediaKind.Medium.IMAGE) {
            fields.add(Field.fixed("width", ElementType.I32));
            fields.add(Field.fixed("height", ElementType.I32));
        }
        List<String> classes = classes(files, table);
        if (classes != null) {
            fields.add(Field.variable("class", ElementType.UTF8));
            fields.add(Field.fixed("label", ElementType.I64));
        }
        fields.addAll(table.fields());
        return new MediaRecords(folder, storage, medium, files, classes, table, List.copyOf(fields), options);
    }

    /// The names of the classes in order, or null when there are none.
    private static List<String> classes(List<MediaFolder.Entry> files, MediaTable table) {
        TreeSet<String> names = new TreeSet<>();
        for (MediaFolder.Entry file : files) {
            if (file.folder() == null) {
                return null;
            }
            names.add(file.folder());
        }
        boolean isInTable = table.fields().stream()
                .anyMatch(field -> field.name().equals("class") || field.name().equals("label"));
        return isInTable ? null : List.copyOf(names);
    }

    @Override
    public String name() {
        return folder.toString();
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint all = new Fingerprint("media 1 " + fields).add(table.fingerprint());
        for (MediaFolder.Entry file : files) {
            try (Disk.Readable open = storage.open(file.file())) {
                all.add(file.path()).add(open.size()).addSample(open.size(), open::read);
            }
        }
        return all.text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        byte[][] values = new byte[fields.size()][];
        try (Intake intake = new Intake(fields, options, receiver)) {
            for (int i = 0; i < files.size(); i++) {
                MediaFolder.Entry file = files.get(i);
                try {
                    set(file, values);
                    intake.add(values, file.file(), 0, file.path());
                } catch (BadMember e) {
                    intake.leaveOut(
                            new BadRecords.LeftOut(file.file(), 0, e.reason(), file.path(), null, e.getMessage()));
                }
                progress.at(i + 1L, files.size());
            }
            intake.flush();
        }
    }

    private void set(MediaFolder.Entry file, byte[][] values) throws IOException, BadMember {
        byte[] content = content(file);
        int position = 0;
        values[position++] = file.path().getBytes(StandardCharsets.UTF_8);
        values[position++] = content;
        if (medium == MediaKind.Medium.TEXT && TarHeader.utf8(content) == null) {
            throw new BadMember(Reason.NOT_UTF8, "the text is not UTF-8");
        }
        if (medium == MediaKind.Medium.IMAGE) {
            ImageSize size = ImageSize.of(MemorySegment.ofArray(content)).orElse(null);
            values[position++] = size == null ? null : Numbers.i32(size.width());
            values[position++] = size == null ? null : Numbers.i32(size.height());
        }
        if (classes != null) {
            values[position++] = file.folder().getBytes(StandardCharsets.UTF_8);
            values[position++] = Numbers.of(Collections.binarySearch(classes, file.folder()));
        }
        table.set(file.path(), values, position);
    }

    private byte[] content(MediaFolder.Entry file) throws IOException, BadMember {
        SourceFile source = SourceFile.of(file.file(), options.catalog().reading());
        if (source.size() > ByteInput.VALUE_SIZE_MAX) {
            throw new BadMember(Reason.OUT_OF_RANGE, "the file is larger than 1 GiB");
        }
        byte[] content = new byte[(int) source.size()];
        try (Disk.Readable open = storage.open(file.file())) {
            long count = open.read(0, MemorySegment.ofArray(content));
            if (count < content.length || open.size() != content.length) {
                throw source.changed();
            }
        }
        return content;
    }

    @Override
    public void close() {
        // Each pass opens the files itself.
    }
}
