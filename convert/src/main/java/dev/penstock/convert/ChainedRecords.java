// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Rows of several sources one after another. They have one width, and the smallest type that holds all numbers.
///
/// **Ownership.** Owns the sources.
///
/// @param sources the rows, converted to the common type
/// @param counts  the number of rows of each source
record ChainedRecords(String name, List<RecordSource> sources, List<Long> counts, List<Field> fields)
        implements RowRecords {
    /// Takes ownership of the sources, and closes them if they differ in width.
    ///
    /// @param name the name of all in messages
    /// @throws IllegalArgumentException when the sources differ in width, or there are none
    static RowRecords of(String name, List<RowRecords> sources) throws IOException {
        try {
            if (sources.isEmpty()) {
                throw new IllegalArgumentException(name + " has no rows");
            }
            requireOneWidth(sources);
            return sources.size() == 1 ? sources.getFirst() : chain(name, sources);
        } catch (Throwable e) {
            closeAll(sources);
            throw e;
        }
    }

    private static void requireOneWidth(List<RowRecords> sources) {
        RowRecords first = sources.getFirst();
        for (RowRecords source : sources) {
            if (source.width() != first.width()) {
                throw new IllegalArgumentException(source.name() + " has rows of width " + source.width() + ", but "
                        + first.name() + " has rows of width " + first.width()
                        + "; choose one of them, or convert them separately");
            }
        }
    }

    private static ChainedRecords chain(String name, List<RowRecords> sources) throws IOException {
        ElementType type = sources.getFirst().fields().getFirst().type();
        for (RowRecords source : sources) {
            type = common(type, source.fields().getFirst().type());
        }
        List<Field> fields = List.of(RowRecords.field(type, sources.getFirst().width()));
        List<RecordSource> fitted = new ArrayList<>();
        for (RowRecords source : sources) {
            fitted.add(FittedRecords.of(source, fields, true));
        }
        return new ChainedRecords(
                name, fitted, sources.stream().map(RowRecords::rowCount).toList(), fields);
    }

    /// Neither 16-bit type holds the other.
    private static ElementType common(ElementType one, ElementType other) {
        return one.holds(other) ? one : other.holds(one) ? other : ElementType.F32;
    }

    @Override
    public long rowCount() {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint all = new Fingerprint("chained 1");
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
        long total = rowCount();
        long before = 0;
        for (int i = 0; i < sources.size(); i++) {
            long first = before;
            sources.get(i).forEach(receiver, (done, ignored) -> progress.at(first + done, total));
            before += counts.get(i);
        }
    }

    @Override
    public void close() throws IOException {
        closeAll(sources);
    }

    static void closeAll(List<? extends RecordSource> sources) throws IOException {
        for (RecordSource source : sources) {
            source.close();
        }
    }
}
