// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Project;
import dev.penstock.Seeds;
import dev.penstock.memory.ChildJava;
import dev.penstock.memory.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A reader in Python that knows the published layout alone sees what was published.
@ExtendWith(Seeds.class)
class StorePlainReaderTest {
    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    private List<String> readByPython(Path store) throws IOException, InterruptedException {
        Path script = Project.root().resolve("library/src/test/python/plain_store.py");
        ChildJava.Result result;
        try {
            result = ChildJava.run(folder, List.of("python3", script.toString(), store.toString()));
        } catch (IOException e) {
            Assumptions.abort("skipped: needs python3");
            return List.of();
        }
        assertEquals(0, result.exitCode(), result.output());
        return result.output()
                .lines()
                .map(line -> String.join(
                        " ",
                        ((List<?>) Json.parse(line.getBytes()))
                                .stream()
                                        .map(hex ->
                                                StoreModel.text(HexFormat.of().parseHex((String) hex)))
                                        .toList()))
                .toList();
    }

    @Test
    void pythonSeesWhatWasPublished() throws IOException, InterruptedException {
        for (boolean isSwapping : new boolean[] {false, true}) {
            Path path = folder.resolve("store-" + isSwapping);
            List<StoreField> fields =
                    List.of(StoreField.bytes("A"), StoreField.bytes("B").withCompression(StoreCompression.FLATE));
            StoreOptions options = StoreOptions.DEFAULT.withSwapping(isSwapping).withChunkRows(7);
            StoreModel model = new StoreModel(random, isSwapping, fields.size());
            StoreWriter store = StoreWriter.create(path, fields, options);
            List<String> published = List.of();
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 5; j++) {
                    model.change(store);
                }
                store.commit();
                if (i % 3 == 1) {
                    store.checkpoint();
                    published = StoreModel.plain(model.state());
                    assertEquals(published, readByPython(path), "after a checkpoint");
                }
            }
            store.close();
            assertEquals(StoreModel.plain(model.state()), readByPython(path), "after closing");
        }
    }
}
