// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Project;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Json;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A reader in Python that knows the published layout alone agrees after every operation.
@ExtendWith(Seeds.class)
@Tag("full")
class StorePlainReaderTest {
    private static final int OPERATIONS = TestData.isLong() ? 2000 : 25;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    /// The program, which answers one line for each path.
    private static final class Python implements AutoCloseable {
        private final Process process;
        private final BufferedWriter paths;
        private final BufferedReader answers;

        Python() throws IOException {
            Path script = Project.root().resolve("library/src/test/python/plain_store.py");
            ProcessBuilder builder =
                    new ProcessBuilder("python3", script.toString()).redirectError(ProcessBuilder.Redirect.INHERIT);
            Process started = null;
            try {
                started = builder.start();
            } catch (IOException e) {
                Assumptions.abort("skipped: needs python3");
            }
            process = started;
            paths = process.outputWriter();
            answers = process.inputReader();
        }

        List<String> read(Path store) throws IOException {
            paths.write(store + "\n");
            paths.flush();
            String line = answers.readLine();
            assertNotNull(line, "the plain reader failed; its message is above");
            List<String> records = new ArrayList<>();
            for (Object row : (List<?>) Json.parse(line.getBytes())) {
                List<String> values = ((List<?>) row)
                        .stream()
                                .map(hex -> StoreModel.text(HexFormat.of().parseHex((String) hex)))
                                .toList();
                records.add(String.join(" ", values));
            }
            return records;
        }

        @Override
        public void close() {
            process.destroy();
        }
    }

    private static List<StoreField> fields() {
        return List.of(StoreField.bytes("A"), StoreField.bytes("B").withCompression(StoreCompression.FLATE));
    }

    @Test
    void pythonAgreesAfterEveryOperation() throws IOException {
        try (Python python = new Python()) {
            for (boolean isSwapping : new boolean[] {false, true}) {
                Path path = folder.resolve("store-" + isSwapping);
                StoreOptions options =
                        StoreOptions.DEFAULT.withSwapping(isSwapping).withChunkRows(7);
                StoreModel model = new StoreModel(random, isSwapping, 2);
                StoreWriter store = StoreWriter.create(path, fields(), options);
                for (int i = 0; i < OPERATIONS; i++) {
                    model.change(store);
                    if (i % 10 == 9) {
                        store.close();
                        assertEquals(StoreModel.plain(model.state()), python.read(path), "after closing");
                        store = StoreWriter.open(path, options);
                    } else {
                        store.checkpoint();
                        assertEquals(StoreModel.plain(model.state()), python.read(path), "after a checkpoint");
                    }
                }
                store.close();
            }
        }
    }

    /// Without a checkpoint an older state is seen, exactly, and of a store that is only appended to a prefix.
    @Test
    void pythonSeesAPrefixOfWhatIsAppended() throws IOException {
        try (Python python = new Python()) {
            Path path = folder.resolve("store");
            StoreOptions options = StoreOptions.DEFAULT.withRotateBytes(700);
            StoreModel model = new StoreModel(random, false, 2);
            int seen = 0;
            try (StoreWriter store = StoreWriter.create(path, fields(), options)) {
                for (int i = 0; i < OPERATIONS; i++) {
                    model.append(store);
                    store.commit();
                    List<String> found = python.read(path);
                    assertEquals(StoreModel.plain(model.state()).subList(0, found.size()), found);
                    assertTrue(found.size() >= seen, "it does not go back");
                    seen = found.size();
                }
            }
            assertTrue(seen > 0, "rotations publish what was appended");
            assertEquals(StoreModel.plain(model.state()), python.read(path));
        }
    }
}
