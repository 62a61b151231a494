// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.WebServer;
import dev.penstock.file.WebServer.Lack;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The catalog opens datasets of a web server by their content, as it opens local ones.
class RemoteCatalogTest {
    private static final RowType NUMBERS = RowType.of(DType.parse("'<i4'"));
    private static final int COUNT = 100;

    @TempDir
    private Path folder;

    private final MemoryStorage content = new MemoryStorage();
    private final List<Path> samples = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        Path pack = folder.resolve("records.a2pack");
        try (PackWriter writer = PackWriter.create(pack, PackWriter.Options.DEFAULT)) {
            for (int i = 0; i < COUNT; i++) {
                writer.append("name" + i, PackKind.OPAQUE, MemorySegment.ofArray(new byte[i]));
            }
        }
        samples.add(pack);
        samples.add(table(folder.resolve("one.npy"), TableWriter.Options.DEFAULT));
        TableWriter.Options several = TableWriter.Options.DEFAULT.withShardRows(30);
        samples.add(table(folder.resolve("several"), several.withMetadata(Map.of("made", "here"))));
        Path shards = folder.resolve("corpus");
        try (ShardWriter writer = ShardWriter.create(shards, 4, ShardWriter.Options.DEFAULT.withShardRows(10))) {
            writer.append(new double[COUNT][4]);
        }
        samples.add(shards);
        for (Path sample : samples) {
            content.copy(sample);
        }
    }

    private static Path table(Path path, TableWriter.Options options) throws IOException {
        try (TableWriter writer = TableWriter.create(path, NUMBERS, options)) {
            writer.append(MemorySegment.ofArray(new byte[4 * COUNT]));
        }
        return path;
    }

    private static Location at(WebServer web, Path sample) {
        return web.at(MemoryStorage.ROOT.resolve(sample.getFileName().toString()));
    }

    @Test
    void everyFormatIsOpenedFromAWebServer() throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            for (Path sample : samples) {
                requireSame(sample, at(web, sample));
            }
        }
    }

    private static void requireSame(Path sample, Location remote) throws IOException {
        try (Dataset local = Catalog.open(sample);
                Dataset there = Catalog.open(remote);
                Batch batch = Batch.create(there.fields())) {
            assertEquals(remote, there.location());
            assertEquals(local.format(), there.format());
            assertEquals(local.fingerprint(), there.fingerprint());
            there.gather(new long[] {7, 99, 0}, batch);
            assertEquals(3, batch.rowCount());
        }
        assertTrue(
                Catalog.verify(remote, Catalog.Options.DEFAULT, Progress.NONE).isOk(), remote.toString());
    }

    @Test
    void aTableWithAManifestNeedsNoIndexPage() throws IOException {
        Path sample = folder.resolve("several");
        for (Lack lack : List.of(Lack.INDEX_PAGES, Lack.FOLDERS)) {
            try (WebServer web = WebServer.serve(content, Lack.INDEX_PAGES, lack)) {
                requireSame(sample, at(web, sample));
            }
        }
    }

    @Test
    void anAbsentFileSaysWhatAFolderWouldNeed() throws IOException {
        try (WebServer web = WebServer.serve(content, Lack.INDEX_PAGES)) {
            Location absent = at(web, folder.resolve("absent"));
            NoSuchFileException missing = assertThrows(NoSuchFileException.class, () -> Catalog.open(absent));
            assertTrue(missing.getReason().contains("index page"), missing::getReason);
        }
    }

    @Test
    void aPatternOpensAllFilesThatMatch() throws IOException {
        content.copy(table(folder.resolve("day-1.npy"), TableWriter.Options.DEFAULT));
        content.copy(table(folder.resolve("day-2.npy"), TableWriter.Options.DEFAULT));
        try (WebServer web = WebServer.serve(content);
                Dataset days = Catalog.open(web.at(MemoryStorage.ROOT.resolve("day-*.npy")))) {
            assertEquals(2 * COUNT, days.count());
        }
    }
}
