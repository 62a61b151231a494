// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Progress;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Records become samples of a WebDataset, and these the same records again.
class TarTargetTest {
    private static final SourceOptions ALL = SourceOptions.DEFAULT.withDecoded(Set.of("all"));

    @TempDir
    Path folder;

    private static Conversion.Report convert(Path source, Path target, String format, TargetOptions options)
            throws IOException {
        try (RecordSource records = Sources.open(Location.of(source), ALL)) {
            return Conversion.of(records, target, format, options).run(Progress.NONE, Progress.NONE);
        }
    }

    @Test
    void samplesComeBackEqual() throws IOException {
        Path samples = Containers.FOLDER.resolve("samples.tar");
        Path store = folder.resolve("store");
        convert(samples, store, "store", TargetOptions.DEFAULT);
        convert(store, folder.resolve("again.tar"), null, TargetOptions.DEFAULT);
        assertEquals(3, Containers.lines(folder.resolve("again.tar"), ALL).size());
        String line = Containers.lines(folder.resolve("again.tar"), ALL).get(1);
        assertEquals("__key__=a/1,cls=5", line.substring(0, 17), line);
        convert(store, folder.resolve("twice.tar"), null, TargetOptions.DEFAULT);
        assertArrayEquals(
                Files.readAllBytes(folder.resolve("again.tar")), Files.readAllBytes(folder.resolve("twice.tar")));
    }

    @Test
    void shardsAreAFolder() throws IOException {
        Path csv = Files.writeString(folder.resolve("rows.csv"), "a,b\n1,x\n2,\n3,z\n");
        convert(csv, folder.resolve("shards"), "tar", TargetOptions.DEFAULT.withShards(2L, null));
        assertEquals(
                List.of(
                        "__key__=000000000,a.npy=1,b.txt=x",
                        "__key__=000000001,a.npy=2,b.txt=none",
                        "__key__=000000002,a.npy=3,b.txt=z"),
                Containers.lines(folder.resolve("shards"), ALL));
        assertEquals(2, Files.list(folder.resolve("shards")).count());
    }

    @Test
    void keysThatCannotBeFoundAgainAreRefused() throws IOException {
        Path csv = Files.writeString(folder.resolve("rows.csv"), "__key__,b\nx.y,1\n");
        assertThrows(
                IllegalArgumentException.class,
                () -> convert(csv, folder.resolve("t.tar"), null, TargetOptions.DEFAULT));
    }
}
