// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Several sources side by side, which must have the same number of records. A record has the fields of all.
///
/// Each source is read by a thread of its own ([PulledRecords]).
///
/// **Ownership.** Owns the sources.
record JoinedRecords(List<RecordSource> sources, List<Field> fields) implements RecordSource {
    static RecordSource of(List<RecordSource> sources) {
        List<Field> fields = new ArrayList<>();
        sources.forEach(source -> fields.addAll(source.fields()));
        return sources.size() == 1 ? sources.getFirst() : new JoinedRecords(List.copyOf(sources), fields);
    }

    @Override
    public String name() {
        return sources.getFirst().name();
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint all = new Fingerprint("joined 1");
        for (RecordSource source : sources) {
            all.add(source.fingerprint());
        }
        return all.text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        List<PulledRecords> pulled = new ArrayList<>();
        try (Batch joined = Batch.create(fields)) {
            for (RecordSource source : sources) {
                pulled.add(PulledRecords.start(source, pulled.isEmpty() ? progress : Progress.NONE));
            }
            long rowCount = available(pulled);
            while (rowCount > 0) {
                copy(pulled, rowCount, joined);
                receiver.accept(null, joined);
                rowCount = available(pulled);
            }
        } finally {
            pulled.forEach(PulledRecords::close);
        }
    }

    /// The number of rows that all sources have ready; 0 at the end of all.
    private long available(List<PulledRecords> pulled) throws IOException {
        long least = Long.MAX_VALUE;
        int shorter = -1;
        int longer = -1;
        for (int i = 0; i < pulled.size(); i++) {
            long available = pulled.get(i).available();
            least = Math.min(least, available);
            shorter = available == 0 && shorter < 0 ? i : shorter;
            longer = available > 0 && longer < 0 ? i : longer;
        }
        if (shorter >= 0 && longer >= 0) {
            throw new BadInput(
                    sources.get(shorter).name() + " has fewer records than "
                            + sources.get(longer).name() + "; all inputs must have the same number of records",
                    null);
        }
        return least;
    }

    private static void copy(List<PulledRecords> pulled, long rowCount, Batch joined) {
        joined.clear();
        int next = 0;
        for (PulledRecords one : pulled) {
            next = one.copy(rowCount, joined, next);
        }
        joined.complete(rowCount);
    }

    @Override
    public void close() throws IOException {
        for (RecordSource source : sources) {
            source.close();
        }
    }
}
