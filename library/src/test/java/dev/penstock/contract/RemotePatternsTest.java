// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Project;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.WebServer;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the code of `docs/remote.md`.
class RemotePatternsTest {
    @TempDir
    private Path folder;

    @Test
    void aTableIsReadFromAServer() throws IOException {
        MemoryStorage content = new MemoryStorage();
        Location copy = content.copy(RangeSample.TABLE_SHARDS.write(folder));
        try (WebServer web = WebServer.serve(content)) {
            URI uri = web.at(copy).uri();
            // [open]
            ReaderOptions reading = ReaderOptions.DEFAULT.withReadsInFlight(16);
            TableReader.Options options = TableReader.Options.DEFAULT.withReading(reading);
            try (TableReader table = TableReader.open(Location.of(uri), options);
                    Batch batch = Batch.create(table.fields())) {
                table.gather(new long[] {5, 1000, 2}, batch);
                // [open]
                assertEquals(3, batch.rowCount());
                assertEquals(Location.of(uri), table.location());
            }
        }
    }

    @Test
    void thePageShowsThisCode() {
        int lineCount = Project.requireShown(
                "docs/remote.md", "library/src/test/java/dev/penstock/contract/RemotePatternsTest.java");
        assertTrue(lineCount > 4);
    }
}
