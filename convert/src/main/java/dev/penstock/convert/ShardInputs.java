// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Disk;
import dev.penstock.file.Faults;
import dev.penstock.file.Layouts;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.shards.RowInput;
import dev.penstock.shards.Safetensors;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Reads rows of other formats to convert them to shards: NumPy arrays, safetensors, `residual_shard_bf16`
/// folders, other shards, and files of raw floats.
///
/// **Ownership.** Owns the inputs. **Threads.** One thread at a time.
public final class ShardInputs implements AutoCloseable {
    private static final long COPY_BYTES = 4L << 20;

    private final List<RowInput> inputs;

    private ShardInputs(List<RowInput> inputs) {
        this.inputs = inputs;
    }

    /// Selects what to read from a path.
    ///
    /// @param tensor   the tensor of a `.safetensors` file, or null for all
    /// @param rawWidth the width of rows in a file of f32 numbers without a header, or 0 for all other files
    public record Choice(String tensor, long rawWidth) {
        /// Selects everything.
        public static final Choice ALL = new Choice(null, 0);
    }

    /// Opens a file, or a folder: a dataset, a `residual_shard_bf16` folder, or any folder of `.npy` and
    /// `.safetensors` files, which are read in the byte order of their names.
    ///
    /// @throws dev.penstock.DatasetException when an input is damaged
    /// @throws IllegalArgumentException      when inputs differ in width, or are not floating-point
    public static ShardInputs open(Path path, Choice choice, Catalog.Options options) throws IOException {
        List<RowInput> inputs = new ArrayList<>();
        try {
            add(path, choice, options, inputs);
            requireOneWidth(path, inputs);
            return new ShardInputs(List.copyOf(inputs));
        } catch (Throwable e) {
            closeAll(inputs);
            throw e;
        }
    }

    private static void add(Path path, Choice choice, Catalog.Options options, List<RowInput> inputs)
            throws IOException {
        Disk disk = options.disk();
        if (disk.isDirectory(path)) {
            addFolder(path, choice, options, inputs);
        } else if (!disk.exists(path) && Catalog.format(path, options).isEmpty()) {
            throw new NoSuchFileException(path.toString());
        } else if (choice.rawWidth() > 0) {
            requireNoTensor(path, choice);
            inputs.add(RowInput.raw(path, choice.rawWidth(), options.reading()));
        } else if (path.toString().endsWith(".safetensors")) {
            inputs.addAll(Safetensors.open(path, choice.tensor(), options.reading()));
        } else {
            addDataset(path, choice, options, inputs);
        }
    }

    private static void addFolder(Path path, Choice choice, Catalog.Options options, List<RowInput> inputs)
            throws IOException {
        if (choice.rawWidth() > 0) {
            throw new IllegalArgumentException(
                    "a width is for a single file without a header, but " + path + " is a folder");
        }
        if (ResidualFolder.isResidual(options.disk(), path)) {
            requireNoTensor(path, choice);
            inputs.addAll(ResidualFolder.open(path, options.reading()));
        } else if (Catalog.format(path, options).isPresent()) {
            addDataset(path, choice, options, inputs);
        } else {
            addFiles(path, choice, options, inputs);
        }
    }

    private static void addDataset(Path path, Choice choice, Catalog.Options options, List<RowInput> inputs)
            throws IOException {
        requireNoTensor(path, choice);
        if (Catalog.format(path, options).isEmpty()) {
            throw new DatasetException.WrongFormat(
                    path, "no known magic number; to read f32 numbers without a header, give the width of the rows");
        }
        inputs.add(DatasetRows.open(path, options));
    }

    private static void requireNoTensor(Path path, Choice choice) {
        if (choice.tensor() != null) {
            throw new IllegalArgumentException("tensor " + choice.tensor() + " can be chosen only in a .safetensors"
                    + " file, but " + path + " is not one");
        }
    }

    private static void addFiles(Path folder, Choice choice, Catalog.Options options, List<RowInput> inputs)
            throws IOException {
        List<Path> files = options.disk().list(folder).stream()
                .filter(file ->
                        file.toString().endsWith(".npy") || file.toString().endsWith(".safetensors"))
                .sorted((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)))
                .toList();
        Path manifest = folder.resolve(ResidualFolder.MANIFEST);
        if (files.isEmpty() && options.disk().exists(manifest)) {
            throw new DatasetException.WrongFormat(
                    manifest,
                    "this is not the manifest of a residual_shard_bf16 folder, and the folder holds no .npy,"
                            + " .safetensors or .shard files");
        }
        if (files.isEmpty()) {
            throw new IllegalArgumentException(folder + " holds no .npy, .safetensors or .shard files, and no manifest"
                    + " of a residual_shard_bf16 folder");
        }
        for (Path file : files) {
            add(file, choice, options, inputs);
        }
    }

    private static byte[] bytes(Path file) {
        return file.getFileName().toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void requireOneWidth(Path path, List<RowInput> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException(path + " has no rows");
        }
        RowInput first = inputs.getFirst();
        for (RowInput input : inputs) {
            if (input.width() != first.width()) {
                throw new IllegalArgumentException(input.name() + " has rows of width " + input.width() + ", but "
                        + first.name() + " has rows of width " + first.width()
                        + "; choose one tensor, or convert them separately");
            }
        }
    }

    /// The number of values in a row.
    public long width() {
        return inputs.getFirst().width();
    }

    /// The number of rows in all inputs.
    public long rowCount() {
        return inputs.stream().mapToLong(RowInput::rowCount).sum();
    }

    /// Appends all rows to a writer, beginning with the next row of the writer.
    ///
    /// @throws IllegalArgumentException when the writer has more rows than the inputs
    public void copyTo(ShardWriter writer, Progress progress) throws IOException {
        long skipped = writer.nextRow();
        if (skipped > rowCount()) {
            throw new IllegalArgumentException("the output already has " + skipped + " rows but the input only "
                    + rowCount() + ", so it cannot be continued with this input");
        }
        long total = rowCount();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Math.max(COPY_BYTES, width() * Double.BYTES));
            for (RowInput input : inputs) {
                long first = Math.min(skipped, input.rowCount());
                skipped -= first;
                copy(input, first, buffer, writer, progress, total);
            }
        }
    }

    private void copy(
            RowInput input, long first, MemorySegment buffer, ShardWriter writer, Progress progress, long total)
            throws IOException {
        long rowSize = width() * input.type().size();
        long rowsAtOnce = Math.max(1, COPY_BYTES / rowSize);
        for (long row = first; row < input.rowCount(); row += rowsAtOnce) {
            long count = Math.min(rowsAtOnce, input.rowCount() - row);
            MemorySegment part = buffer.asSlice(0, count * rowSize);
            input.read(row, count, part);
            writer.append(part, input.type());
            progress.at(writer.nextRow(), total);
        }
    }

    @Override
    public void close() throws IOException {
        closeAll(inputs);
    }

    private static void closeAll(List<RowInput> inputs) throws IOException {
        for (RowInput input : inputs) {
            input.close();
        }
    }

    /// The rows of a dataset with one numeric field.
    ///
    /// @param itemRows the number of rows in one record; more than one if the records are matrices
    /// @param held     the last large item that was read
    private record DatasetRows(Dataset dataset, long width, long itemRows, Batch batch, Row[] held)
            implements RowInput {
        static DatasetRows open(Path path, Catalog.Options options) throws IOException {
            Dataset dataset = Catalog.open(path, options);
            try {
                return of(dataset);
            } catch (Throwable e) {
                dataset.close();
                throw e;
            }
        }

        private static DatasetRows of(Dataset dataset) {
            Field field = dataset.fields().getFirst();
            if (dataset.fields().size() != 1 || field.isVariable() || !isNumber(field.type())) {
                String fields = dataset.fields().stream()
                        .map(one -> one.name() + " (" + one.type() + ")")
                        .collect(Collectors.joining(", "));
                throw new IllegalArgumentException(dataset.location() + " has the fields " + fields
                        + "; shards can only be made from a single numeric field");
            }
            if (field.shape().size() > 2) {
                throw new IllegalArgumentException(dataset.location() + " has records of shape " + field.shape()
                        + "; only arrays of up to three dimensions can become rows");
            }
            // An array of one dimension becomes one row.
            long width =
                    field.shape().isEmpty() ? dataset.count() : field.shape().getLast();
            long itemRows = field.shape().size() == 2 ? field.shape().getFirst() : 1;
            if (width == 0) {
                throw new IllegalArgumentException(dataset.location() + " has empty rows");
            }
            return new DatasetRows(dataset, width, itemRows, Batch.create(dataset.fields()), new Row[1]);
        }

        private static boolean isNumber(ElementType type) {
            return type.isFloat() || type.isInteger() || type == ElementType.BOOL;
        }

        private ElementType storedType() {
            return dataset.fields().getFirst().type();
        }

        private boolean isOneRow() {
            return dataset.fields().getFirst().shape().isEmpty();
        }

        @Override
        public String name() {
            return dataset.location().toString();
        }

        /// Integers are read as doubles.
        @Override
        public ElementType type() {
            return storedType().isFloat() ? storedType() : ElementType.F64;
        }

        @Override
        public long rowCount() {
            return isOneRow() ? 1 : Math.multiplyExact(dataset.count(), itemRows);
        }

        @Override
        public void read(long firstRow, long rowCount, MemorySegment target) throws IOException {
            if (rowCount == 0) {
                return;
            }
            if (!isOneRow() && itemRows * width * storedType().size() > COPY_BYTES) {
                readParts(firstRow, rowCount, target);
                return;
            }
            long firstItem = isOneRow() ? 0 : firstRow / itemRows;
            long itemLimit = isOneRow() ? dataset.count() : Math.ceilDiv(firstRow + rowCount, itemRows);
            dataset.gather(LongStream.range(firstItem, itemLimit).toArray(), batch);
            long rowSize = width * storedType().size();
            long skipped = isOneRow() ? 0 : firstRow % itemRows * rowSize;
            convert(batch.column(0).values().asSlice(skipped, rowCount * rowSize), rowCount * width, target);
        }

        /// Reads rows of items that are larger than the buffer, through views. Gathering such an item would copy
        /// it as a whole for each of its parts.
        private void readParts(long firstRow, long rowCount, MemorySegment target) throws IOException {
            long rowSize = width * storedType().size();
            for (long row = firstRow; row < firstRow + rowCount; ) {
                long item = row / itemRows;
                long count = Math.min(firstRow + rowCount, (item + 1) * itemRows) - row;
                MemorySegment stored = item(item).value(0).asSlice(row % itemRows * rowSize, count * rowSize);
                MemorySegment place = target.asSlice((row - firstRow) * width * type().size());
                try {
                    // Numbers are converted from a copy, because reading them one by one from a file that was
                    // shortened could end the process.
                    boolean isCopied = storedType().isFloat();
                    MemorySegment safe = isCopied ? stored : MemorySegment.ofArray(stored.toArray(Layouts.U8));
                    convert(safe, count * width, place);
                } catch (InternalError fault) {
                    throw Faults.translate(fault, dataset.location(), 0, dataset.bytes());
                }
                row += count;
            }
        }

        private Row item(long index) throws IOException {
            if (held[0] == null || held[0].index() != index) {
                held[0] = dataset.get(index);
            }
            return held[0];
        }

        private void convert(MemorySegment stored, long valueCount, MemorySegment target) {
            if (storedType().isFloat()) {
                MemorySegment.copy(stored, 0, target, 0, stored.byteSize());
                return;
            }
            for (long i = 0; i < valueCount; i++) {
                double value =
                        Elements.toDouble(storedType(), stored, i * storedType().size());
                target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES, value);
            }
        }

        @Override
        public void close() {
            batch.close();
            dataset.close();
        }
    }
}
