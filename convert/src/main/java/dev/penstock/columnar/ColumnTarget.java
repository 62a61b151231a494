// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Io;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RecordWriter;
import dev.penstock.convert.Target;
import dev.penstock.file.NewFileStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Writes columnar files, which are complete only at their end.
///
/// Text and bytes have any size there. Arrays are lists, whose declared shape is known when the file is read back.
public sealed interface ColumnTarget extends Target {
    /// Parquet files.
    final class Parquet implements ColumnTarget {
        @Override
        public String format() {
            return "parquet";
        }

        @Override
        public List<String> extensions() {
            return List.of(".parquet");
        }

        @Override
        public boolean hasType(ElementType type) {
            return type != ElementType.F16;
        }

        @Override
        public Output output(OutputStream stream, List<Field> fields) throws IOException {
            ParquetOutput output = new ParquetOutput(stream, fields);
            return new Output(output::append, output::close);
        }

        @Override
        public RecordSource read(Path path, Job job) throws IOException {
            return ParquetRecords.open(path, job.disk(), notes(job));
        }
    }

    /// Arrow files, which are Feather files of version 2.
    final class Arrow implements ColumnTarget {
        @Override
        public String format() {
            return "arrow";
        }

        @Override
        public List<String> extensions() {
            return List.of(".arrow", ".feather");
        }

        @Override
        public boolean hasType(ElementType type) {
            return true;
        }

        @Override
        public Output output(OutputStream stream, List<Field> fields) throws IOException {
            ArrowOutput output = new ArrowOutput(stream, fields);
            return new Output(output::append, output::close);
        }
    }

    /// A file that is being written.
    record Output(Io.Consumer<Batch> append, Io.Action finish) {}

    /// Whether the format has numbers of a type.
    boolean hasType(ElementType type);

    /// Begins a file in a stream.
    Output output(OutputStream stream, List<Field> fields) throws IOException;

    @Override
    default boolean hasMissing() {
        return true;
    }

    @Override
    default boolean isResumable(Path target) {
        return false;
    }

    @Override
    default List<Field> fields(Job job) {
        job.options().requireOnly("a file of " + format());
        List<Field> fields = new ArrayList<>();
        for (Field field : job.fields()) {
            fields.add(field(field));
        }
        return fields;
    }

    /// The field that a field becomes.
    ///
    /// @throws IllegalArgumentException when the format has no such columns
    default Field field(Field field) {
        ElementType type = field.type();
        boolean isPlain = field.shape().isEmpty();
        boolean isText = type == ElementType.UTF8 || type == ElementType.UTF32;
        if (isText && isPlain) {
            return Field.variable(field.name(), ElementType.UTF8);
        }
        boolean isRow = type == ElementType.BYTES
                && field.elementSize() == 1
                && field.shape().size() == 1;
        if (isRow && !field.isVariable()) {
            // A store keeps bytes of one size as an array of single bytes.
            return new Field(field.name(), type, field.itemSize(), List.of(), false);
        }
        boolean isBytes = type == ElementType.BYTES && isPlain;
        boolean isNumber = !type.isText() && !type.isComplex() && type != ElementType.BF16 && hasType(type);
        if (isBytes && field.elementSize() > 0 || isNumber && (isPlain || !field.isVariable())) {
            return field;
        }
        boolean isHalf = type == ElementType.F16 || type == ElementType.BF16;
        throw new IllegalArgumentException("field " + field.name() + " of type " + type + " cannot be written to "
                + format()
                + (isHalf ? "; convert its numbers to f32" : "; choose other fields"));
    }

    /// The shapes of the fields, so that lists are read back as arrays.
    default ColumnNotes notes(Job job) {
        Map<String, ColumnNotes.Note> notes = new HashMap<>();
        for (Field field : job.fields()) {
            if (!field.shape().isEmpty()) {
                notes.put(field.name(), new ColumnNotes.Note(false, field.shape(), null, Map.of()));
            }
        }
        return new ColumnNotes(notes);
    }

    @Override
    default RecordWriter open(Path path, Job job) throws IOException {
        NewFileStream stream = NewFileStream.create(job.disk(), path, true);
        try {
            return new ColumnWriter(stream, output(stream, job.fields()));
        } catch (Throwable e) {
            stream.close();
            throw e;
        }
    }

    /// Writes batches to a file that appears when it is complete.
    final class ColumnWriter implements RecordWriter {
        private final NewFileStream stream;
        private final Output output;
        private long count;

        ColumnWriter(NewFileStream stream, Output output) {
            this.stream = stream;
            this.output = output;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            output.append().accept(batch);
            count += batch.rowCount();
        }

        @Override
        public void finish() throws IOException {
            output.finish().run();
            stream.publish();
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
