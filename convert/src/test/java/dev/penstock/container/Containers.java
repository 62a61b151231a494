// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Project;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Files that other libraries wrote, and what is in them as text.
final class Containers {
    static final Path FOLDER = Project.root().resolve("testdata/containers");

    /// The sources in [#FOLDER].
    static final List<String> ALL = List.of(
            "samples.tar",
            "pax.tar",
            "pax.tar.zst",
            "gnu.tar.gz",
            "ustar.tar",
            "examples.tfrecord",
            "sequences.tfrecord",
            "raw.tfrecord",
            "mds",
            "mds-zstd",
            "litdata",
            "tokens.idx",
            "sentences.bin");

    private Containers() {}

    /// The records of a source, each as `field=value` with commas between.
    static List<String> lines(Path path, SourceOptions options) throws IOException {
        try (RecordSource source = Sources.open(Location.of(path), options)) {
            return lines(source);
        }
    }

    static List<String> lines(String name, String... decoded) throws IOException {
        return lines(FOLDER.resolve(name), SourceOptions.DEFAULT.withDecoded(Set.of(decoded)));
    }

    static List<String> lines(RecordSource source) throws IOException {
        List<String> lines = new ArrayList<>();
        source.forEach((indices, batch) -> add(batch, lines), Progress.NONE);
        return lines;
    }

    private static void add(Batch batch, List<String> lines) {
        for (int row = 0; row < batch.rowCount(); row++) {
            List<String> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                values.add(column.field().name() + "="
                        + (column.isMissing(row) ? "none" : text(column.field(), column.value(row))));
            }
            lines.add(String.join(",", values));
        }
    }

    private static String text(Field field, MemorySegment value) {
        if (field.type().isText()) {
            return Elements.toText(field.type(), value, 0, value.byteSize());
        }
        List<String> elements = new ArrayList<>();
        for (long offset = 0; offset < value.byteSize(); offset += field.elementSize()) {
            elements.add(
                    field.type().isFloat()
                            ? Double.toString(Elements.toDouble(field.type(), value, offset))
                            : field.type() == ElementType.BOOL
                                    ? Boolean.toString(value.get(ValueLayout.JAVA_BYTE, offset) != 0)
                                    : Long.toString(Elements.toLong(field.type(), value, offset)));
        }
        return field.isVariable() || !field.shape().isEmpty() ? elements.toString() : elements.getFirst();
    }

    /// All files of the folder in memory.
    static MemoryDisk disk() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                disk.put(file, Files.readAllBytes(file));
            }
        }
        return disk;
    }

    /// Reads everything that is at a path of a disk, if it is recognised.
    static List<String> read(MemoryDisk disk, Path path, SourceOptions options) throws IOException {
        Catalog.Options catalog = Catalog.Options.DEFAULT.withDisk(disk);
        if (Sources.kind(Location.of(path), catalog).isEmpty()) {
            return List.of(Candidate.at(Location.of(path), catalog.reading()).kind() + "");
        }
        return lines(path, options.withCatalog(catalog));
    }
}
