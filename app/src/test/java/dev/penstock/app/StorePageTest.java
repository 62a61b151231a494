// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands on the page about stores, run as they stand.
final class StorePageTest {
    /// The files and folders that the page names.
    private static final Pattern FILE =
            Pattern.compile("(.*=)?(images|pixels\\.npy|labels\\.npy|more\\.jsonl|out\\.jsonl|order\\.txt|old|new)");

    private static final int ROW_COUNT = 20;

    @TempDir
    Path folder;

    private void table(String name, String dtype, Long... shape) throws IOException {
        RowType row = new RowType(DType.parse(dtype), List.of(shape));
        try (TableWriter writer = TableWriter.create(folder.resolve(name), row, TableWriter.Options.DEFAULT)) {
            writer.append(MemorySegment.ofArray(new byte[Math.toIntExact(ROW_COUNT * row.size())]));
        }
    }

    private Object[] words(String command) {
        return Pattern.compile("\"([^\"]*)\"|\\S+")
                .matcher(command)
                .results()
                .map(word -> word.group(1) == null ? word.group() : word.group(1))
                .skip(1)
                .map(this::resolved)
                .toArray();
    }

    /// A word with the file that it names in the folder of the test.
    private String resolved(String word) {
        Matcher file = FILE.matcher(word);
        return file.matches() ? (file.group(1) == null ? "" : file.group(1)) + folder.resolve(file.group(2)) : word;
    }

    @Test
    void theCommandsOfThePageRun() throws IOException {
        table("pixels.npy", "'|u1'", 28L, 28L);
        table("labels.npy", "'<i8'");
        Files.writeString(folder.resolve("more.jsonl"), "{\"label\": 3, \"note\": \"by hand\"}\n");
        Files.writeString(folder.resolve("order.txt"), "3\n0\n");
        Path old = Files.createDirectory(folder.resolve("old"));
        for (String name : List.of("meta.zr", "0.zr")) {
            Files.write(old.resolve(name), Files.readAllBytes(CommandRun.testdata("store/upstream/v05_flate/" + name)));
        }
        List<String> commands = Files.readString(CommandRun.root().resolve("docs/store.md"))
                .lines()
                .filter(line -> line.startsWith("penstock "))
                .toList();
        assertTrue(commands.size() >= 14, commands.toString());
        for (String command : commands) {
            CommandRun run = CommandRun.of(words(command));
            assertEquals(0, run.exitCode(), command + ": " + run.err());
        }
        assertEquals(
                "3  pixels",
                CommandRun.of("store", "get", folder.resolve("images"), "3")
                        .out()
                        .substring(0, 9));
        assertTrue(Files.exists(folder.resolve("new").resolve("meta.json")));
    }
}
