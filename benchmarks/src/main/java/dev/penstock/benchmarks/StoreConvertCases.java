// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import java.nio.file.Path;
import java.util.List;

/// How fast is a store converted to a table beside `cp` and `sync` of the store? The table is also read back and
/// compared, which `cp` does not do.
final class StoreConvertCases {
    private static final int APPENDED_AT_ONCE = 2000;

    private StoreConvertCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        Path store = folder.resolve("store");
        StoreUpkeepCases.write(store, new StoreRecords(APPENDED_AT_ONCE, 4), settings.records())
                .close();
        for (String name : List.of("table.npy", "table")) {
            Times times = new SideBySide(
                            new Converting(store, folder.resolve(name), settings.records()),
                            new StoreUpkeepCases.Copying(store, folder.resolve("copy")))
                    .warmUps(1)
                    .measure(settings.roundsOr(7));
            String target = name.endsWith(".npy") ? "convert-to-npy" : "convert-to-table";
            report.add(times.megabytes(StoreBenchmark.NAME, target, "cp and sync of the store"));
        }
    }

    /// Converts, reads back and compares.
    private record Converting(Path store, Path table, long recordCount) implements SideBySide.Side {
        @Override
        public void prepare() throws Exception {
            StoreBenchmark.delete(table);
        }

        @Override
        public long run() throws Exception {
            try (RecordSource records = Sources.open(store, SourceOptions.DEFAULT)) {
                Conversion.of(records, table, "table", TargetOptions.DEFAULT).run(Progress.NONE, Progress.NONE);
            }
            return recordCount * StoreRecords.SIZE;
        }

        @Override
        public long answer() throws Exception {
            return 0;
        }
    }
}
