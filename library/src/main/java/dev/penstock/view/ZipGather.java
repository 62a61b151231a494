// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// The batches for the parts of a [Zip] whose fields are requested, and the order of their columns in the result.
///
/// **Threads.** One thread at a time.
final class ZipGather implements AutoCloseable {
    private final List<Dataset> parts;
    /// A batch for each part, or null when no field of the part is requested.
    private final List<Batch> batches = new ArrayList<>();
    /// The columns of the parts, in the order of the requested fields.
    private final List<Column> columns = new ArrayList<>();

    /// @param wanted the source of each requested field
    ZipGather(List<Dataset> parts, List<Zip.Source> wanted) {
        this.parts = parts;
        int[] usedCounts = new int[parts.size()];
        for (int i = 0; i < parts.size(); i++) {
            int part = i;
            List<Field> own = wanted.stream()
                    .filter(source -> source.part() == part)
                    .map(Zip.Source::field)
                    .toList();
            batches.add(own.isEmpty() ? null : Batch.create(own));
        }
        for (Zip.Source source : wanted) {
            columns.add(batches.get(source.part()).column(usedCounts[source.part()]++));
        }
    }

    /// Fills a batch that is empty and was created for the requested fields. The batch is changed only after all
    /// parts have been gathered.
    void gather(MemorySegment indices, long rowCount, Batch batch) throws IOException {
        for (int part = 0; part < parts.size(); part++) {
            if (batches.get(part) != null) {
                parts.get(part).gather(indices, batches.get(part));
            }
        }
        for (int i = 0; i < columns.size(); i++) {
            batch.column(i).exchange(columns.get(i));
        }
        batch.complete(rowCount);
    }

    @Override
    public void close() {
        batches.stream().filter(batch -> batch != null).forEach(Batch::close);
    }
}
