// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// How long does it take to open a store of 10 million records, and one that was left with a long journal?
///
/// The stores are written and opened in separate processes, because a long journal needs more heap than other
/// benchmarks are allowed.
final class StoreOpenCases {
    private static final int RECORD_COUNT = 10_000_000;
    private static final long LIMIT_MILLIS = 20;
    private static final long LIMIT_MILLIS_PER_GIB = 1000;
    private static final long JOURNAL_BYTES = 1L << 30;
    private static final int JOURNAL_RECORD_COUNT = 33_000_000;
    private static final int ROWS_AT_ONCE = 20_000;
    private static final int OPENS = 30;

    private StoreOpenCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        int rounds = settings.roundsOr(5);
        String large = folder.resolve("large").toString();
        child("write", large);
        double[] opens = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            opens[i] = Double.parseDouble(child("open", large));
        }
        report.add(Row.below(StoreBenchmark.NAME, "open-10-million", "ms", opens, LIMIT_MILLIS));
        String crashed = folder.resolve("crashed").toString();
        child("crash", crashed);
        double[] replays = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            replays[i] = Double.parseDouble(child("replay", crashed));
        }
        report.add(Row.below(StoreBenchmark.NAME, "reopen-after-crash", "ms/GiB", replays, LIMIT_MILLIS_PER_GIB));
    }

    private static String child(String work, String path) throws Exception {
        List<String> words = new ArrayList<>(Command.java(StoreOpenCases.class, work, path));
        words.removeIf(word -> word.startsWith("-Xmx"));
        words.add(1, "-Xmx2g");
        return Command.run(words).strip();
    }

    /// The child process.
    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "write" -> write(path, RECORD_COUNT, StoreOptions.DEFAULT).close();
            case "crash" ->
                write(path, JOURNAL_RECORD_COUNT, StoreOptions.DEFAULT.withRotateBytes(2 * JOURNAL_BYTES))
                        .abort();
            case "open" -> System.out.println(open(path));
            case "replay" -> System.out.println(replay(path));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static StoreWriter write(Path path, int recordCount, StoreOptions options) throws IOException {
        StoreField field = new StoreField("number", "i64", List.of(), StoreCompression.RAW);
        StoreWriter store = StoreWriter.create(path, List.of(field), options);
        try (Batch batch = Batch.create(List.of(Field.fixed("number", ElementType.I64)))) {
            for (int done = 0; done < recordCount; done += ROWS_AT_ONCE) {
                MemorySegment values = batch.column(0).reserveValues((long) ROWS_AT_ONCE * Long.BYTES);
                for (int i = 0; i < ROWS_AT_ONCE; i++) {
                    values.setAtIndex(ValueLayout.JAVA_LONG, i, (long) done + i);
                }
                batch.complete(ROWS_AT_ONCE);
                store.appendAll(batch);
                store.commit();
            }
        }
        return store;
    }

    /// The duration of an opening in milliseconds: the median of many after some warm-up.
    private static double open(Path path) throws IOException {
        double[] millis = new double[OPENS];
        for (int i = -OPENS; i < OPENS; i++) {
            long start = System.nanoTime();
            try (StoreReader reader = StoreReader.open(path)) {
                if (reader.count() != RECORD_COUNT) {
                    throw new IllegalStateException(reader.count() + " records");
                }
            }
            if (i >= 0) {
                millis[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return Times.median(millis);
    }

    /// Milliseconds for each GiB of journal, for the first opening in a process.
    private static double replay(Path path) throws IOException {
        long bytes = 0;
        try (Stream<Path> journals = Files.list(path.resolve("journal"))) {
            for (Path journal : journals.toList()) {
                bytes += Files.size(journal);
            }
        }
        long start = System.nanoTime();
        try (StoreReader reader = StoreReader.open(path)) {
            if (reader.count() != JOURNAL_RECORD_COUNT) {
                throw new IllegalStateException(reader.count() + " records");
            }
        }
        return (System.nanoTime() - start) / 1e6 / bytes * (1L << 30);
    }
}
