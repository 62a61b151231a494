// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import dev.penstock.memory.ReaderOptions;
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
import java.util.stream.LongStream;

/// Rows of other formats on their way into shards: NumPy arrays, safetensors, `residual_shard_bf16` folders, other
/// shards, and files of raw floats.
///
/// **Ownership.** Owns the inputs. **Threads.** One at a time.
public final class ShardInputs implements AutoCloseable {
    private static final long COPY_BYTES = 4L << 20;

    private final List<RowInput> inputs;

    private ShardInputs(List<RowInput> inputs) {
        this.inputs = inputs;
    }

    /// What to take from a path.
    ///
    /// @param tensor   the tensor of a `.safetensors` file, or null for all
    /// @param rawWidth the width of rows in a file of f32 numbers without a header, or 0 for all other files
    public record Choice(String tensor, long rawWidth) {
        /// Everything there is.
        public static final Choice ALL = new Choice(null, 0);
    }

    /// Opens a file, or a folder: a dataset, a `residual_shard_bf16` folder, or any folder of `.npy` and
    /// `.safetensors` files, which are taken in the order of the bytes of their names.
    ///
    /// @throws dev.penstock.DatasetException when an input is damaged
    /// @throws IllegalArgumentException      when inputs have different widths, or are not of floating-point
    ///                                       numbers
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
        ReaderOptions reading = options.reading();
        if (!disk.exists(path)) {
            if (Catalog.format(path, options).isPresent()) {
                inputs.add(DatasetRows.open(path, options));
                return;
            }
            throw new NoSuchFileException(path.toString());
        }
        if (!disk.isDirectory(path)) {
            if (choice.rawWidth() > 0) {
                inputs.add(RowInput.raw(path, choice.rawWidth(), reading));
            } else if (path.toString().endsWith(".safetensors")) {
                inputs.addAll(Safetensors.open(path, choice.tensor(), reading));
            } else {
                inputs.add(DatasetRows.open(path, options));
            }
        } else if (ResidualFolder.isResidual(disk, path)) {
            inputs.addAll(ResidualFolder.open(path, reading));
        } else if (Catalog.format(path, options).isPresent()) {
            inputs.add(DatasetRows.open(path, options));
        } else {
            addFiles(path, choice, options, inputs);
        }
    }

    private static void addFiles(Path folder, Choice choice, Catalog.Options options, List<RowInput> inputs)
            throws IOException {
        List<Path> files = options.disk().list(folder).stream()
                .filter(file ->
                        file.toString().endsWith(".npy") || file.toString().endsWith(".safetensors"))
                .sorted((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)))
                .toList();
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
                throw new IllegalArgumentException(input.name() + " has rows of width " + input.width() + " and "
                        + first.name() + " has rows of width " + first.width()
                        + "; choose one tensor with --tensor, or convert them separately");
            }
        }
    }

    /// Numbers in a row.
    public long width() {
        return inputs.getFirst().width();
    }

    /// Rows of all inputs.
    public long rowCount() {
        return inputs.stream().mapToLong(RowInput::rowCount).sum();
    }

    /// Appends all rows to a writer, beginning with the row that the writer has next.
    ///
    /// @throws IllegalArgumentException when the writer has more rows than there are
    public void copyTo(ShardWriter writer, Progress progress) throws IOException {
        long skipped = writer.nextRow();
        if (skipped > rowCount()) {
            throw new IllegalArgumentException(
                    "the output has " + skipped + " rows and the input only " + rowCount() + ": it is another corpus");
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

    /// The rows of a dataset with one field of floating-point numbers.
    ///
    /// @param itemRows rows in one record: more than one where the records are matrices
    private record DatasetRows(Dataset dataset, long width, long itemRows, Batch batch) implements RowInput {
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
                throw new IllegalArgumentException(dataset.location() + " has the fields " + dataset.fields()
                        + "; shards are made of one array of numbers");
            }
            if (field.shape().size() > 2) {
                throw new IllegalArgumentException(dataset.location() + " has records of shape " + field.shape()
                        + "; arrays of up to three dimensions become rows");
            }
            // An array of one dimension is one row.
            long width =
                    field.shape().isEmpty() ? dataset.count() : field.shape().getLast();
            long itemRows = field.shape().size() == 2 ? field.shape().getFirst() : 1;
            if (width == 0) {
                throw new IllegalArgumentException(dataset.location() + " has rows without numbers");
            }
            return new DatasetRows(dataset, width, itemRows, Batch.create(dataset.fields()));
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

        /// Whole numbers come as doubles.
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
            long firstItem = isOneRow() ? 0 : firstRow / itemRows;
            long itemLimit = isOneRow() ? dataset.count() : Math.ceilDiv(firstRow + rowCount, itemRows);
            dataset.gather(LongStream.range(firstItem, itemLimit).toArray(), batch);
            long rowSize = width * storedType().size();
            long skipped = isOneRow() ? 0 : firstRow % itemRows * rowSize;
            MemorySegment stored = batch.column(0).values().asSlice(skipped, rowCount * rowSize);
            if (storedType().isFloat()) {
                target.copyFrom(stored);
                return;
            }
            for (long i = 0; i < rowCount * width; i++) {
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
