// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.LayoutTables;
import dev.penstock.Progress;
import dev.penstock.Project;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The specification is what the code does: its tables are the layouts, and its example is a store.
final class StoreFormatDocsTest {
    private static final String SOURCE = "library/src/main/java/dev/penstock/store/StoreFormat.java";
    private static final Path CHUNK = Path.of("chunk/0.zr");
    private static final Path JOURNAL = Path.of("journal/2.zj");
    private static final Path META = Path.of(StoreFormat.META);
    private static final Path TABLE = Path.of("A.offset");
    /// The bytes of a journal that are random or depend on random ones: uuid, salt and CRC of the header, salt and
    /// CRC of the frame.
    private static final int[][] RANDOM = {{8, 24}, {32, 40}, {60, 64}, {72, 80}, {108, 112}};

    private static final byte[] VALUE = "hi".getBytes();

    @TempDir
    Path folder;

    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of(SOURCE);
        tables.requireEqual("ENTRY", StoreFormat.ENTRY);
        tables.requireEqual("PREFIX", StoreFormat.PREFIX);
        tables.requireEqual("CHANGE", StoreFormat.CHANGE);
        tables.requireNoOther();
    }

    /// The files of the example.
    private static Map<Path, byte[]> example() throws IOException {
        Matcher block = Pattern.compile("## Example.*?```\n(.*?)/// ```", Pattern.DOTALL)
                .matcher(Project.read(Path.of(SOURCE)));
        block.find();
        Map<Path, StringBuilder> texts = new LinkedHashMap<>();
        StringBuilder text = null;
        for (String line : block.group(1).split("\n")) {
            Matcher parts = Pattern.compile("/// (\\S*) +(.*)").matcher(line);
            parts.matches();
            if (!parts.group(1).isEmpty()) {
                text = new StringBuilder();
                texts.put(Path.of(parts.group(1)), text);
            }
            text.append(parts.group(2));
        }
        Map<Path, byte[]> files = new LinkedHashMap<>();
        texts.forEach((name, all) -> files.put(
                name,
                name.equals(META)
                        ? (all + "\n").getBytes()
                        : HexFormat.of().parseHex(all.toString().replace(" ", ""))));
        return files;
    }

    @Test
    void theExampleIsAStore() throws IOException {
        for (Map.Entry<Path, byte[]> file : example().entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        Files.write(folder.resolve(TABLE), new byte[4096]);
        try (StoreReader reader = StoreReader.open(folder)) {
            assertEquals(1, reader.count());
            assertArrayEquals(VALUE, reader.get(0).value(0).toArray(ValueLayout.JAVA_BYTE));
            assertEquals(List.of(), reader.verify(Progress.NONE).problems());
        }
    }

    @Test
    void theExampleIsWhatIsWritten() throws IOException {
        Map<Path, byte[]> example = example();
        Path store = folder.resolve("store");
        StoreOptions options = StoreOptions.DEFAULT.withWriters(1);
        try (StoreWriter writer = StoreWriter.create(store, List.of(StoreField.bytes("A")), options)) {
            writer.append(List.of(VALUE));
            writer.commit();
            assertArrayEquals(example.get(CHUNK), Files.readAllBytes(store.resolve(CHUNK)));
            byte[] journal = example.get(JOURNAL);
            byte[] written = Files.readAllBytes(store.resolve(JOURNAL));
            assertArrayEquals(withoutRandom(journal), withoutRandom(Arrays.copyOf(written, journal.length)));
            assertEquals(
                    withoutRandom(new String(example.get(META))), withoutRandom(Files.readString(store.resolve(META))));
        }
        byte[] change = Arrays.copyOfRange(
                example.get(JOURNAL),
                example.get(JOURNAL).length - (int) StoreFormat.ENTRY_SIZE,
                example.get(JOURNAL).length);
        assertArrayEquals(change, Arrays.copyOf(Files.readAllBytes(store.resolve(TABLE)), change.length));
    }

    private static byte[] withoutRandom(byte[] journal) {
        for (int[] range : RANDOM) {
            Arrays.fill(journal, range[0], range[1], (byte) 0);
        }
        return journal;
    }

    private static String withoutRandom(String meta) {
        return meta.replaceAll("\"(uuid|salt|crc32c)\":\"[0-9a-f-]+\"", "\"$1\"");
    }
}
