// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.ChildJava;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A chunk is shortened by another program while it is mapped: the read says so, and the process lives. It happens
/// in a process of its own, because a process that has seen it uses no vector instructions any more.
@Tag("full")
final class StoreLiveTruncationTest {
    @Test
    void aChunkThatIsShortenedWhileItIsMappedIsAnError(@TempDir Path folder) throws Exception {
        List<String> command = ChildJava.command(folder, Shortened.class, folder);
        command.add(1, "--add-modules=jdk.incubator.vector");
        ChildJava.Result result = ChildJava.run(folder, command);
        assertEquals(0, result.exitCode(), result::output);
    }

    /// The actions of the other process.
    static final class Shortened {
        private Shortened() {}

        public static void main(String[] args) throws Exception {
            Path folder = Path.of(args[0]).resolve("store");
            try (StoreWriter store = StoreWriter.create(folder, List.of(StoreField.bytes("x")), StoreOptions.DEFAULT)) {
                for (int i = 0; i < 3000; i++) {
                    store.append(Map.of("x", ("record " + i).getBytes()));
                }
            }
            try (StoreReader reader = StoreReader.open(folder);
                    Batch batch = Batch.create(reader.fields());
                    FileChannel channel = FileChannel.open(folder.resolve("chunk/0.zr"), StandardOpenOption.WRITE)) {
                reader.gather(new long[] {2999, 0}, batch);
                channel.truncate(4096);
                DatasetException error =
                        assertThrows(DatasetException.class, () -> reader.gather(new long[] {2999, 0}, batch));
                assertEquals(Reason.TRUNCATED, error.reason());
                assertEquals(0, batch.rowCount());
                assertThrows(DatasetException.class, () -> reader.get(2999));
                reader.gather(new long[] {0}, batch);
                assertEquals(1, batch.rowCount());
            }
        }
    }
}
