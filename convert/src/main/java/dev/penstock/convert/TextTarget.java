// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.NewFileStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes records as lines of text. A value that text cannot hold exactly is refused.
enum TextTarget implements Target {
    /// A JSON object in each line. Bytes are Base64, NaN and infinities are strings.
    JSON_LINES("jsonl", List.of(".jsonl", ".ndjson"), ValueText.Bytes.BASE64) {
        @Override
        TextOutput output(Job job) {
            return TextOutput.jsonLines();
        }

        @Override
        RecordSource open(TextFile file, TextRules rules) throws IOException {
            return JsonRecords.open(file, rules, BadRecords.REFUSED);
        }
    },
    /// A line of names and one for each record. Bytes are hexadecimal, a missing value is an empty cell.
    CSV("csv", List.of(".csv", ".tsv"), ValueText.Bytes.HEX) {
        @Override
        TextOutput output(Job job) {
            return TextOutput.csv(job.fields(), job.target().toString().endsWith(".tsv") ? '\t' : ',');
        }

        @Override
        RecordSource open(TextFile file, TextRules rules) throws IOException {
            return CsvRecords.open(file, rules, BadRecords.REFUSED);
        }
    };

    private final String format;
    private final List<String> extensions;
    private final ValueText.Bytes bytes;

    TextTarget(String format, List<String> extensions, ValueText.Bytes bytes) {
        this.format = format;
        this.extensions = extensions;
        this.bytes = bytes;
    }

    abstract TextOutput output(Job job);

    abstract RecordSource open(TextFile file, TextRules rules) throws IOException;

    @Override
    public String format() {
        return format;
    }

    @Override
    public List<String> extensions() {
        return extensions;
    }

    @Override
    public boolean hasMissing() {
        return true;
    }

    @Override
    public boolean isResumable(Path target) {
        return false;
    }

    @Override
    public List<Field> fields(Job job) {
        job.options().requireOnly("a " + format + " file");
        String name = job.target().toString();
        if (name.endsWith(".gz") || name.endsWith(".zst")) {
            throw new IllegalArgumentException(
                    name + " has the name of a packed file, but text is written as it is; give another name");
        }
        List<Field> fields = new ArrayList<>();
        for (Field field : job.fields()) {
            fields.add(field(field));
        }
        return fields;
    }

    private Field field(Field field) {
        boolean isPlain = field.shape().isEmpty();
        if (this == CSV
                && (field.name().isBlank() || !field.name().equals(field.name().strip()))) {
            throw new IllegalArgumentException("the name of field '" + Printable.of(field.name())
                    + "' is empty or has spaces around it, which the first line of CSV does not keep; choose jsonl");
        }
        // A store keeps bytes of one size as an array of single bytes.
        boolean isRow = field.type() == ElementType.BYTES
                && !field.isVariable()
                && field.elementSize() == 1
                && field.shape().size() == 1;
        if (field.type().isText() && isPlain || isRow) {
            ElementType type = field.type() == ElementType.BYTES ? ElementType.BYTES : ElementType.UTF8;
            return Field.variable(field.name(), type);
        }
        boolean isNumber = !field.type().isText();
        if (isNumber && (!field.isVariable() || isPlain && !field.type().isComplex())) {
            return field;
        }
        throw new IllegalArgumentException("field " + Printable.of(field.name()) + " is a list of arrays, texts or"
                + " complex numbers, which " + format + " cannot hold here; choose other fields, or convert to a"
                + " store");
    }

    private TextRules rules(Job job) {
        return TextRules.of(this).withFields(job.fields()).withBytes(bytes);
    }

    @Override
    public RecordSource read(Path path, Job job) throws IOException {
        Catalog.Options options = Catalog.Options.DEFAULT.withDisk(job.disk());
        return open(TextFile.at(Location.of(path), options.reading()), rules(job));
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        TextOutput output = output(job);
        NewFileStream stream = NewFileStream.create(job.disk(), path, true);
        try {
            stream.write(output.head());
            return new Writer(stream, output);
        } catch (Throwable e) {
            stream.close();
            throw e;
        }
    }

    /// Writes lines to a file that appears when it is complete.
    private static final class Writer implements RecordWriter {
        private final NewFileStream stream;
        private final TextOutput output;
        private long count;

        Writer(NewFileStream stream, TextOutput output) {
            this.stream = stream;
            this.output = output;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            ExactText.require(batch, count);
            stream.write(output.lines(batch));
            count += batch.rowCount();
        }

        @Override
        public void finish() throws IOException {
            stream.publish();
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
