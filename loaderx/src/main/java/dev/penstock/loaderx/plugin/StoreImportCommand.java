// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx.plugin;

import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.file.Disk;
import dev.penstock.loaderx.LoaderxRecords;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ConversionRun;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreCompression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies loaderx stores into a new store.
@CommandLine.Command(
        name = "import",
        header = "Copy stores that loaderx 0.5, or 2.3.3 or later, wrote into a new store.",
        description = "Such a store has one field, which is named value unless a name is given. Several stores of equal"
                + " length become the fields of one store. The old stores are not changed. The new store appears"
                + " when it is complete and all its records have been read back and compared with the old stores."
                + " After an interruption the same command continues after the last commit. Stores of"
                + " other releases are rejected with a message that names the release.",
        footer = {
            "",
            "Example:",
            "  penstock store import old --output new",
            "  penstock store import pixels=old-images label=old-labels --output images --compress zstd"
        })
final class StoreImportCommand extends Command {
    @Parameters(arity = "1..*", paramLabel = "[FIELD=]OLD", description = "The folder of an old store.")
    List<String> olds;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "NEW",
            description = "The folder of the new store.")
    Path output;

    @Option(
            names = "--compress",
            paramLabel = "HOW",
            defaultValue = "raw",
            description = "Compression of values: raw, flate, zstd or lz4 (default: ${DEFAULT-VALUE}).")
    StoreCompression compression;

    /// An old store and the name of its field.
    private record Old(String field, Path path) {
        static Old of(String text) {
            int sign = text.indexOf('=');
            return sign < 0 || Files.exists(Path.of(text))
                    ? new Old("value", Path.of(text))
                    : new Old(text.substring(0, sign), Path.of(text.substring(sign + 1)));
        }
    }

    @Override
    public Integer call() throws IOException {
        long start = System.nanoTime();
        List<LoaderxRecords> stores = new ArrayList<>();
        try {
            for (String text : olds) {
                Old old = Old.of(text);
                LoaderxRecords store = LoaderxRecords.open(old.path(), Disk.real(), old.field());
                stores.add(store);
                requireEqual(stores.getFirst(), store);
            }
        } catch (Throwable e) {
            for (LoaderxRecords store : stores) {
                store.close();
            }
            throw e;
        }
        try (RecordSource records = Sources.joined(stores)) {
            report(stores, copy(records), start);
        }
        return 0;
    }

    private static void requireEqual(LoaderxRecords first, LoaderxRecords store) {
        if (store.count() != first.count()) {
            throw new IllegalArgumentException(store.name() + " has " + Text.number(store.count())
                    + " records, but the first store has " + Text.number(first.count())
                    + "; all fields of a store must have the same number of records");
        }
    }

    private Conversion.Report copy(RecordSource records) throws IOException {
        TargetOptions options =
                TargetOptions.DEFAULT.withCompression(compression.name().toLowerCase(Locale.ROOT), null);
        return ConversionRun.of(this, Conversion.of(records, output, "store", options), output);
    }

    private void report(List<LoaderxRecords> stores, Conversion.Report report, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        List<String> releases =
                stores.stream().map(LoaderxRecords::release).distinct().toList();
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("records", report.records());
            json.put("releases", releases);
            json.put("resumedAt", report.resumedAt());
            json.put("verified", true);
            json.put("seconds", seconds);
            printJson(json);
            return;
        }
        if (report.resumedAt() > 0) {
            remark("Continued after " + Text.number(report.resumedAt()) + " records of an interrupted import.");
        }
        remark("Imported " + Text.number(report.records()) + " records of " + String.join(" and ", releases) + " into "
                + output + " in " + Text.seconds(seconds) + "; read back and equal to the source");
    }
}
