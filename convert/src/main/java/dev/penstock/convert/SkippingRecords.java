// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The records of a source that leaves out what cannot be read. Each pass begins a new list. A conversion that
/// leaves records out does not continue one that does not.
record SkippingRecords(RecordSource source, BadRecords bad) implements RecordSource {
    static RecordSource of(RecordSource source, BadRecords bad) {
        return bad.isSkipping() ? new SkippingRecords(source, bad) : source;
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public List<Field> fields() {
        return source.fields();
    }

    @Override
    public String fingerprint() throws IOException {
        return source.fingerprint() + " without bad records";
    }

    @Override
    public Optional<Dataset> dataset() {
        return source.dataset();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        bad.begin();
        source.forEach(receiver, progress);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
