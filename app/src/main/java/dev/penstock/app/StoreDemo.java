// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.file.Layouts;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Appends records to a store while a loader in another process reads it and refreshes it with every epoch.
record StoreDemo(DemoCommand demo) {
    private static final int COMMITS = 30;
    private static final int COMMIT_RECORDS = 2_000;
    private static final int VALUE_SIZE = 64;
    private static final long PAUSE_MILLIS = 20;

    /// @return whether the loader found all records
    boolean run(Path folder) throws IOException {
        Path path = folder.resolve("store");
        List<StoreField> fields = List.of(
                new StoreField("number", "i64", List.of(), StoreCompression.RAW),
                new StoreField("board", "u8", List.of((long) VALUE_SIZE), StoreCompression.RAW));
        long recordCount = (long) COMMITS * COMMIT_RECORDS;
        Path messages = folder.resolve("follower.txt");
        try (StoreWriter store = StoreWriter.create(path, fields, StoreOptions.DEFAULT)) {
            append(store, 0);
            Process follower = new ProcessBuilder(
                            LoaderDemo.java(DemoFollower.class, path.toString(), "" + recordCount))
                    .redirectError(messages.toFile())
                    .start();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(follower.getInputStream(), StandardCharsets.UTF_8))) {
                lines.readLine();
                long start = System.nanoTime();
                for (int commit = 1; commit < COMMITS; commit++) {
                    append(store, (long) commit * COMMIT_RECORDS);
                    Thread.sleep(PAUSE_MILLIS);
                }
                double seconds = DemoCommand.secondsSince(start);
                return report(epochs(lines), recordCount, seconds, messages);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                follower.destroy();
            }
        }
    }

    private static void append(StoreWriter store, long first) throws IOException {
        try (Batch batch =
                Batch.create(store.fields().stream().map(StoreField::column).toList())) {
            MemorySegment numbers = batch.column(0).reserveValues((long) COMMIT_RECORDS * Long.BYTES);
            MemorySegment boards = batch.column(1).reserveValues((long) COMMIT_RECORDS * VALUE_SIZE);
            boards.fill((byte) first);
            for (int i = 0; i < COMMIT_RECORDS; i++) {
                numbers.set(Layouts.U64, (long) i * Long.BYTES, first + i);
            }
            batch.complete(COMMIT_RECORDS);
            store.appendAll(batch);
            store.commit();
        }
    }

    /// The number of records and the sum of each epoch.
    private static List<long[]> epochs(BufferedReader lines) throws IOException {
        List<long[]> epochs = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            epochs.add(new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
        }
        return epochs;
    }

    private boolean report(List<long[]> epochs, long recordCount, double seconds, Path messages) throws IOException {
        boolean isWhole = !epochs.isEmpty() && epochs.getLast()[0] == recordCount;
        for (long[] epoch : epochs) {
            isWhole &= epoch[1] == epoch[0] * (epoch[0] - 1) / 2;
        }
        demo.note("storeAppendSeconds", seconds);
        demo.note("storeEpochs", (long) epochs.size());
        demo.show(
                "storeFollowed",
                isWhole,
                isWhole
                        ? "  followed a store with a loader in another process, while " + Text.number(recordCount)
                                + " records were appended: " + epochs.size() + " epochs of "
                                + Text.number(epochs.getFirst()[0]) + " to "
                                + Text.number(epochs.getLast()[0]) + " records"
                        : "  FAILED   the loader in another process did not find all records: "
                                + Files.readString(messages).strip());
        return isWhole;
    }
}
