// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Small datasets of all formats for [HostileFolderTest], each in a folder of its own.
final class HostileDatasets {
    private static final int ROWS = 40;

    /// The name of the temporary file of a name.
    private static final String TEMPORARY = "TEMPORARY:";

    private final Path folder;
    private final Path inputs;
    private final Map<String, HostileDataset> all = new LinkedHashMap<>();

    private HostileDatasets(Path folder, Path inputs) {
        this.folder = folder;
        this.inputs = inputs;
    }

    /// Writes all datasets.
    ///
    /// @param folder gets a folder for each dataset
    /// @param inputs gets the inputs of commands
    /// @return the datasets by the names of their folders
    static Map<String, HostileDataset> write(Path folder, Path inputs) throws IOException {
        HostileDatasets datasets = new HostileDatasets(folder, inputs);
        datasets.writeInputs();
        datasets.packs();
        datasets.tables();
        datasets.groups();
        datasets.shards();
        datasets.store();
        datasets.trees();
        datasets.steps();
        datasets.conversions();
        return datasets.all;
    }

    static void fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
    }

    /// Makes the folder of a dataset.
    private Path home(String name, HostileDataset dataset) throws IOException {
        all.put(name, dataset);
        return Files.createDirectory(folder.resolve(name));
    }

    private void writeInputs() throws IOException {
        Tables.write(inputs.resolve("rows.npy"), ROWS);
        Path files = Files.createDirectory(inputs.resolve("files"));
        for (int i = 0; i < 6; i++) {
            Files.writeString(files.resolve("file-" + i), "content ".repeat(i));
        }
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < ROWS; i++) {
            lines.append("{\"label\": ")
                    .append(i)
                    .append(", \"note\": \"note ")
                    .append(i)
                    .append("\"}\n");
        }
        Files.writeString(inputs.resolve("points.jsonl"), lines);
        Files.writeString(inputs.resolve("keys.tsv"), "a/b\t1\na/c\t2\nb\t3\n");
        fine("export", inputs.resolve("rows.npy"), "--fields", "weight", "-o", inputs.resolve("weights.npy"));
        Files.write(inputs.resolve("weights.f32"), new byte[640]);
        fine(
                "shards",
                "write",
                "--input",
                inputs.resolve("weights.f32"),
                "--width",
                "4",
                "-o",
                inputs.resolve("shards"));
        fine("tree", "build", "--input", inputs.resolve("keys.tsv"), "-o", inputs.resolve("keys.act"));
    }

    private void packs() throws IOException {
        Path one = home(
                "pack",
                HostileDataset.of("data.a2pack")
                        .readByAll()
                        .read("pack validate IT", "pack stats IT", "pack extract IT -o OUT")
                        .write(
                                "pack build --all-files --input IN/files --overwrite -o IT",
                                "convert IN/weights.npy IT --overwrite")
                        .plant(TEMPORARY + "data.a2pack"));
        fine("pack", "build", "--all-files", "--input", inputs.resolve("files"), "-o", one.resolve("data.a2pack"));
        Path several = home(
                "packs",
                HostileDataset.of("packs")
                        .read("info IT/*.a2pack", "head IT/*.a2pack", "export IT/*.a2pack -o OUT.jsonl")
                        .write("merge IN/rows.npy -o IT/b.a2pack --overwrite")
                        .plant("packs/c.a2pack"));
        Path packs = Files.createDirectory(several.resolve("packs"));
        for (String name : List.of("a.a2pack", "b.a2pack")) {
            Files.copy(one.resolve("data.a2pack"), packs.resolve(name));
        }
        Path files = home("files", HostileDataset.of("files").read("pack build --all-files --input IT -o OUT.a2pack"));
        FolderState.copy(inputs.resolve("files"), files.resolve("files"));
    }

    private void tables() throws IOException {
        Path file = home(
                "table-file",
                HostileDataset.of("data.npy")
                        .readByAll()
                        .read("select IT --where kind==1 -o OUT.npy", "convert IT OUT --to store")
                        .write(
                                "table append IT --input IN/rows.npy",
                                "table write --input IN/rows.npy -o IT --overwrite")
                        .plant(TEMPORARY + "data.npy"));
        fine("table", "write", "--input", inputs.resolve("rows.npy"), "-o", file.resolve("data.npy"));
        Path sharded = home(
                "table-folder",
                HostileDataset.of("data")
                        .readByAll()
                        .write(
                                "table append IT --input IN/rows.npy",
                                "convert IN/rows.npy IT --overwrite --to table",
                                "table group IT --by kind --repeats")
                        .plant(
                                "data/" + TEMPORARY + "lock",
                                "data/" + TEMPORARY + "manifest.json",
                                "data/lock",
                                ".data.converting",
                                "data/metadata.db"));
        fine(
                "table",
                "write",
                "--input",
                inputs.resolve("rows.npy"),
                "-o",
                sharded.resolve("data"),
                "--shard-rows",
                "15");
        Path archive = home("npz", HostileDataset.of("data.npz").readByAll());
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive.resolve("data.npz")))) {
            byte[] array = Files.readAllBytes(inputs.resolve("weights.npy"));
            CRC32 crc = new CRC32();
            crc.update(array);
            ZipEntry member = new ZipEntry("a.npy");
            member.setMethod(ZipEntry.STORED);
            member.setSize(array.length);
            member.setCrc(crc.getValue());
            zip.putNextEntry(member);
            zip.write(array);
        }
    }

    private void groups() throws IOException {
        Path home = home(
                "groups",
                HostileDataset.of("data")
                        .readByAll()
                        .write("table group IT --by kind --repeats --overwrite", "table append IT --input IN/rows.npy")
                        .plant(
                                "data/metadata.db-journal",
                                "data/metadata.db-wal",
                                "data/" + TEMPORARY + "lock",
                                "data/" + TEMPORARY + "metadata.db"));
        Path data = home.resolve("data");
        fine("table", "write", "--input", inputs.resolve("rows.npy"), "-o", data);
        fine("table", "group", data, "--by", "kind", "--repeats");
    }

    private void shards() throws IOException {
        Path home = home(
                "shards",
                HostileDataset.of("data")
                        .readByAll()
                        .read("shards stats IT --no-save", "shards sample IT --fraction 0.5 -o OUT")
                        .write(
                                "shards write --resume --input IN/weights.f32 --width 4 -o IT",
                                "shards stats IT --again",
                                "convert IN/shards IT --to shards --overwrite")
                        .plant(
                                "data/stats.json",
                                "data/" + TEMPORARY + "lock",
                                "data/" + TEMPORARY + "corpus.json",
                                "data/shard-00002.shard",
                                ".data.converting"));
        fine(
                "shards",
                "write",
                "--input",
                inputs.resolve("weights.f32"),
                "--width",
                "4",
                "--shard-rows",
                "5",
                "-o",
                home.resolve("data"));
    }

    private void store() throws IOException {
        Path home = home(
                "store",
                HostileDataset.of("data")
                        .readByAll()
                        .read(
                                "store stats IT",
                                "store get IT 3",
                                "store snapshot list IT",
                                "head IT --snapshot v1",
                                "export IT --snapshot v1 -o OUT.jsonl",
                                "store rebalance IT --dry-run")
                        .write(
                                "store append IT --input IN/points.jsonl",
                                "store update IT 3 --set label=7",
                                "store delete IT --indices 1-20",
                                "store checkpoint IT",
                                "store rebalance IT --min-garbage 0",
                                "store snapshot create IT v2",
                                "store snapshot drop IT v1",
                                "store field add IT score:float32:scalar",
                                "store field drop IT note",
                                "store field compress IT note flate",
                                "convert IN/rows.npy IT --to store --overwrite",
                                "store create IT --field a")
                        .plant(
                                "data/" + TEMPORARY + "meta.json",
                                "data/" + TEMPORARY + "label.offset",
                                "data/meta.switch",
                                "data/score.offset",
                                "data/snapshot/v2",
                                "data/snapshot/v2/chunk",
                                "data/snapshot/.lock",
                                "data/chunk/1.zr",
                                "data/chunk/2.zr",
                                "data/journal/9.zj",
                                ".data.converting"));
        Path data = home.resolve("data");
        fine("store", "create", data, "--field", "label:int64:scalar", "--field", "note");
        fine("store", "append", data, "--input", inputs.resolve("points.jsonl"));
        fine("store", "snapshot", "create", data, "v1");
        StoreWriter writer = StoreWriter.open(data, StoreOptions.DEFAULT);
        writer.update(5, "note", "changed".getBytes());
        writer.commit();
        // Leaves its changes in the journal, like a process that is killed.
        writer.abort();
    }

    private void trees() throws IOException {
        Path tree = home(
                "tree",
                HostileDataset.of("data.act")
                        .read(
                                "info IT",
                                "verify IT",
                                "tree get IT b",
                                "tree ls IT",
                                "tree dump IT -o OUT.tsv",
                                "tree stats IT",
                                "convert IT OUT --to store",
                                "tree snapshot IT -o OUT.act")
                        .write(
                                "tree put IT c 4",
                                "tree remove IT b",
                                "tree build --overwrite --input IN/keys.tsv -o IT",
                                "tree snapshot IN/keys.act -o IT --overwrite")
                        .plant(TEMPORARY + "data.act", TEMPORARY + "data.act.lock", "data.act.lock", "data.act.sort"));
        Files.copy(inputs.resolve("keys.act"), tree.resolve("data.act"));
        Path paths = home(
                "paths",
                HostileDataset.of("data.paths")
                        .read("tree build --input IT --format paths -o OUT.act")
                        .write("tree dump IN/keys.act --format paths -o IT --overwrite")
                        .plant(TEMPORARY + "data.paths"));
        fine("tree", "dump", inputs.resolve("keys.act"), "--format", "paths", "-o", paths.resolve("data.paths"));
    }

    private void steps() throws IOException {
        Path runs = CommandRun.testdata("runs/more");
        String input = " --input " + runs;
        Path home = home(
                "steps",
                HostileDataset.of("data")
                        .readByAll()
                        .read("steps check IT", "steps stats IT", "steps export IT -o OUT.npy")
                        .write("steps append IT" + input, "steps repair IT", "steps build -o IT" + input)
                        .plant(
                                "data/" + TEMPORARY + "lock",
                                "data/" + TEMPORARY + "manifest.json",
                                "data/metadata.db-journal",
                                "data/lock"));
        fine("steps", "build", "--input", runs, "-o", home.resolve("data"), "--shard-rows", "100");
        Path pack = home(
                "runs",
                HostileDataset.of("data.a2pack")
                        .read(
                                "info IT",
                                "stats IT --as steps",
                                "pack to-jsonl IT --runs-only -o OUT.jsonl",
                                "runs split IT --test 0.5 --unit step")
                        .plant("data.a2pack.index", "data.a2pack.runs"));
        fine("pack", "build", "--input", runs, "-o", pack.resolve("data.a2pack"));
    }

    private void conversions() throws IOException {
        Map<String, String> targets = Map.of("store", "table", "table", "store", "shards", "shards");
        for (String format : List.of("store", "table")) {
            Path home = home(
                    "converting-" + format,
                    HostileDataset.of("data")
                            .read("info IT", "head IT")
                            .write(
                                    "convert IN/rows.npy IT --overwrite --to " + format,
                                    "convert IN/rows.npy IT --overwrite --to " + targets.get(format))
                            .plant(".data.converting/replaced", ".data.converting/other"));
            Path data = home.resolve("data");
            assertThrows(IOException.class, () -> interrupt(inputs.resolve("rows.npy"), data, format));
            fine("table", "write", "--input", inputs.resolve("rows.npy"), "-o", data);
        }
    }

    /// Leaves the folder of an interrupted conversion.
    private static void interrupt(Path source, Path target, String format) throws IOException {
        try (RecordSource whole = Sources.open(source, SourceOptions.DEFAULT)) {
            Conversion.of(new Interrupted(whole), target, format, TargetOptions.DEFAULT)
                    .run(Progress.NONE, Progress.NONE);
        }
    }

    /// A source that fails at its end.
    private record Interrupted(RecordSource whole) implements RecordSource {
        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public List<Field> fields() {
            return whole.fields();
        }

        @Override
        public String fingerprint() throws IOException {
            return whole.fingerprint();
        }

        @Override
        public Optional<Dataset> dataset() {
            return whole.dataset();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            whole.forEach(receiver, progress);
            throw new IOException("interrupted");
        }

        @Override
        public void close() throws IOException {
            whole.close();
        }
    }

    /// The path of a planted name, in which a part may stand for a temporary file.
    static Path planted(Path home, String name) {
        int start = name.indexOf(TEMPORARY);
        if (start < 0) {
            return home.resolve(name);
        }
        return home.resolve(name.substring(0, start) + temporary(name.substring(start + TEMPORARY.length())));
    }

    /// The name of the first temporary file for a name.
    static String temporary(String name) {
        CRC32C crc = new CRC32C();
        crc.update(name.getBytes());
        return String.format(".penstock-%08x-0.tmp", crc.getValue());
    }
}
