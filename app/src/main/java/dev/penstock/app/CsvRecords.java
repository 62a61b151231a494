// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The rows of a CSV file as a source of a conversion. The types of the columns are guessed.
record CsvRecords(Path path, CsvSource csv) implements TextRecords {
    static CsvRecords open(Path path) throws IOException {
        TextRecords.requireFile(path);
        return new CsvRecords(path, CsvSource.open(path, path.toString(), null));
    }

    @Override
    public String kind() {
        return "csv 1";
    }

    @Override
    public List<Field> fields() {
        return csv.rowType().recordFields();
    }

    @Override
    public void forEach(Sink sink, Progress progress) throws IOException {
        csv.forEach(batch -> sink.accept(null, batch), progress);
    }

    @Override
    public void close() throws IOException {
        csv.close();
    }
}
