// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The records of TFRecord files: the features of examples as fields, in the order of their names, or bytes.
///
/// A first pass over all records finds the fields. If the first record of all is no example, records are bytes.
///
/// @param columns the features by name; null when records are bytes
record TfRecords(List<SourceFile> files, Map<String, TfColumn> columns, List<Field> fields, SourceOptions options)
        implements RecordSource {
    private static final List<Field> RAW = List.of(Field.variable("value", ElementType.BYTES));

    /// Leaves records as bytes.
    static final String RAW_WORD = "raw";

    static TfRecords open(List<SourceFile> files, SourceOptions options) throws IOException {
        for (String word : options.decoded()) {
            if (!word.equals(RAW_WORD)) {
                throw new IllegalArgumentException("records of a TFRecord file are decoded as examples, or left as"
                        + " bytes with " + RAW_WORD + "; " + word + " is not known");
            }
        }
        Map<String, TfColumn> columns = options.decoded().contains(RAW_WORD) ? null : columns(files, options);
        List<Field> fields = new ArrayList<>(columns == null ? RAW : List.of());
        if (columns != null) {
            columns.values().forEach(column -> fields.addAll(column.fields()));
        }
        return new TfRecords(files, columns, List.copyOf(fields), options);
    }

    /// The features of all records, or null when records are no examples.
    private static Map<String, TfColumn> columns(List<SourceFile> files, SourceOptions options) throws IOException {
        Map<String, TfColumn> columns = new TreeMap<>();
        boolean isFirst = true;
        for (SourceFile file : files) {
            try (TfFrames frames = new TfFrames(file.open());
                    Intake intake = new Intake(RAW, options, (indices, batch) -> {})) {
                for (byte[] record = frames.next(intake); record != null; record = frames.next(intake)) {
                    try {
                        see(TfExample.parse(record), columns);
                    } catch (BadMember e) {
                        if (isFirst) {
                            return null;
                        }
                        intake.leaveOut(frames.leftOut(e.reason(), null, e.getMessage()));
                    }
                    if (isFirst && columns.isEmpty()) {
                        return null;
                    }
                    isFirst = false;
                }
            } catch (DatasetException.Corrupt e) {
                options.bad().add(e);
            }
        }
        return columns.isEmpty() ? null : columns;
    }

    private static void see(Map<String, TfFeature> features, Map<String, TfColumn> columns) throws BadMember {
        for (Map.Entry<String, TfFeature> entry : features.entrySet()) {
            columns.computeIfAbsent(entry.getKey(), TfColumn::new).see(entry.getValue());
        }
    }

    @Override
    public String name() {
        return SourceFile.name(files);
    }

    @Override
    public String fingerprint() throws IOException {
        return SourceFile.fingerprint("tfrecord 1 " + fields, files);
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        long total = SourceFile.bytes(files);
        long before = 0;
        try (Intake intake = new Intake(fields, options, receiver)) {
            for (SourceFile file : files) {
                try (TfFrames frames = new TfFrames(file.open())) {
                    read(frames, file, intake, before, total, progress);
                } catch (DatasetException.Corrupt e) {
                    intake.giveUp(e);
                }
                before += file.size();
            }
            intake.flush();
        }
    }

    private void read(TfFrames frames, SourceFile file, Intake intake, long before, long total, Progress progress)
            throws IOException {
        byte[][] values = new byte[fields.size()][];
        for (byte[] record = frames.next(intake); record != null; record = frames.next(intake)) {
            try {
                set(record, values);
            } catch (BadMember e) {
                intake.leaveOut(frames.leftOut(e.reason(), null, e.getMessage()));
                continue;
            }
            intake.add(values, file.location(), frames.offset(), Long.toString(frames.index()));
            if (intake.isProgressDue()) {
                progress.at(before + frames.doneBytes(), total);
            }
        }
    }

    private void set(byte[] record, byte[][] values) throws BadMember {
        if (columns == null) {
            values[0] = record;
            return;
        }
        Map<String, TfFeature> features = TfExample.parse(record);
        int position = 0;
        int found = 0;
        for (Map.Entry<String, TfColumn> entry : columns.entrySet()) {
            TfFeature feature = features.get(entry.getKey());
            found += feature == null ? 0 : 1;
            position = entry.getValue().set(feature, values, position);
        }
        if (found < features.size()) {
            throw new BadMember(Reason.SHARD_MISMATCH, "it has a feature that no record had in the first pass");
        }
    }

    @Override
    public void close() {
        // Each pass opens the files itself.
    }
}
