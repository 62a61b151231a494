// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Files for the tests of views, and a view that closes its parts.
final class Views {
    /// A row without padding, with items of all sizes that have different copy loops.
    static final RowType ROW = RowType.of(DType.parse("[('board', '<u8'), ('move', '|u1'), ('ev', '<f4', (3,)),"
            + " ('legal', '<u2'), ('score', '<i4'), ('tag', '|S3')]"));

    static final int ROW_SIZE = 30;

    private Views() {}

    static Path writeTable(Path path, RowType rowType, List<byte[]> rows) throws IOException {
        try (TableWriter writer = TableWriter.create(path, rowType, TableWriter.Options.DEFAULT)) {
            for (byte[] row : rows) {
                writer.append(MemorySegment.ofArray(row));
            }
        }
        return path;
    }

    static Path writePack(Path path, List<byte[]> records) throws IOException {
        try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
            for (byte[] record : records) {
                writer.append(null, PackKind.OPAQUE, MemorySegment.ofArray(record));
            }
        }
        return path;
    }

    /// Opens a table or a pack, depending on its name.
    static Dataset open(Path path) throws IOException {
        return path.toString().endsWith(".npy") ? TableReader.open(path) : PackReader.open(path);
    }

    /// Opens all files of a folder in the order of their names, or the path itself if it is not a folder.
    static List<Dataset> openAll(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of(open(folder));
        }
        List<Dataset> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                all.add(open(file));
            }
        }
        return all;
    }

    /// A view that owns its parts, as the contract of datasets requires.
    record Owning(Dataset view, List<Dataset> parts) implements Dataset {
        @Override
        public String format() {
            return view.format();
        }

        @Override
        public int version() {
            return view.version();
        }

        @Override
        public Location location() {
            return view.location();
        }

        @Override
        public long count() {
            return view.count();
        }

        @Override
        public long bytes() {
            return view.bytes();
        }

        @Override
        public List<Field> fields() {
            return view.fields();
        }

        @Override
        public Row get(long index) throws IOException {
            return view.get(index);
        }

        @Override
        public void gather(MemorySegment indices, Batch batch) throws IOException {
            view.gather(indices, batch);
        }

        @Override
        public void prepare() {
            view.prepare();
        }

        @Override
        public Verification verify(Progress progress) throws IOException {
            return view.verify(progress);
        }

        @Override
        public String fingerprint() throws IOException {
            return view.fingerprint();
        }

        @Override
        public String fingerprint(long recordCount) throws IOException {
            return view.fingerprint(recordCount);
        }

        @Override
        public long length(Field field, long index) throws IOException {
            return view.length(field, index);
        }

        @Override
        public Map<String, String> metadata() {
            return view.metadata();
        }

        @Override
        public Map<String, Object> facts() {
            return view.facts();
        }

        @Override
        public String name(long index) {
            return view.name(index);
        }

        @Override
        public void close() {
            view.close();
            parts.forEach(Dataset::close);
        }
    }
}
