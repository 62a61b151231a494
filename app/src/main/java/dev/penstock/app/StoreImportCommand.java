// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Disk;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.store.upstream.UpstreamStore;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
                + " when it is complete. Stores of other releases are rejected with a message that names the"
                + " release.",
        footer = {
            "",
            "Example:",
            "  penstock store import old --output new",
            "  penstock store import pixels=old-images label=old-labels --output images --compress zstd"
        })
final class StoreImportCommand extends Command {
    private static final long COMMIT_RECORDS = 10_000;

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
        if (Files.exists(output)) {
            throw new FileAlreadyExistsException(output.toString(), null, "choose a folder that does not exist yet");
        }
        long start = System.nanoTime();
        List<UpstreamStore> stores = new ArrayList<>();
        try {
            List<StoreField> fields = new ArrayList<>();
            for (String text : olds) {
                Old old = Old.of(text);
                UpstreamStore store = UpstreamStore.open(old.path(), Disk.real());
                stores.add(store);
                fields.addAll(store.fields(old.field(), compression));
                requireEqual(stores.getFirst(), store, old);
            }
            write(stores, fields);
            report(stores, start);
        } finally {
            for (UpstreamStore store : stores) {
                store.close();
            }
        }
        return 0;
    }

    private static void requireEqual(UpstreamStore first, UpstreamStore store, Old old) {
        if (store.count() != first.count()) {
            throw new IllegalArgumentException(old.path() + " has " + Text.number(store.count())
                    + " records, but the first store has " + Text.number(first.count())
                    + "; all fields of a store must have the same number of records");
        }
    }

    /// Writes under a temporary name, so that an incomplete store never appears under the final name.
    private void write(List<UpstreamStore> stores, List<StoreField> fields) throws IOException {
        Path parent = output.toAbsolutePath().getParent();
        String name = "." + output.getFileName() + ".import-"
                + ProcessHandle.current().pid();
        Path unfinished = Files.createDirectory(parent.resolve(name));
        try {
            copy(stores, fields, unfinished);
            Disk.real().move(unfinished, output);
            Disk.real().forceDirectory(parent);
        } catch (Throwable e) {
            Disk.real().deleteAll(unfinished);
            throw e;
        }
    }

    private void copy(List<UpstreamStore> stores, List<StoreField> fields, Path target) throws IOException {
        StoreOptions options = StoreOptions.DEFAULT.withDurability(StoreOptions.Durability.NONE);
        StoreWriter writer = StoreWriter.create(target, fields, options);
        try (ProgressBar progress = progress("import", ProgressBar.Unit.RECORDS)) {
            long count = stores.getFirst().count();
            for (long i = 0; i < count; i++) {
                List<byte[]> record = new ArrayList<>();
                for (UpstreamStore store : stores) {
                    record.addAll(store.get(i));
                }
                writer.append(record);
                if ((i + 1) % COMMIT_RECORDS == 0) {
                    writer.commit();
                }
                progress.at(i + 1, count);
            }
            writer.checkpoint();
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    private void report(List<UpstreamStore> stores, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long count = stores.getFirst().count();
        List<String> releases =
                stores.stream().map(UpstreamStore::release).distinct().toList();
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("records", count);
            json.put("releases", releases);
            json.put("seconds", seconds);
            printJson(json);
        } else {
            remark("Imported " + Text.number(count) + " records of " + String.join(" and ", releases) + " into "
                    + output + " in " + Text.seconds(seconds));
        }
    }
}
