// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the README shows, run as it stands.
final class ReadmeTest {
    @TempDir
    Path folder;

    private static String readme() throws IOException {
        return Files.readString(CommandRun.root().resolve("README.md"));
    }

    private Path photos() throws IOException {
        Path photos = Files.createDirectory(folder.resolve("photos"));
        for (int i = 0; i < 5; i++) {
            Files.write(photos.resolve(i + ".jpg"), new byte[100 + i]);
        }
        return photos;
    }

    @Test
    void theCommandsOfTheReadmeRun() throws IOException {
        photos();
        Files.writeString(folder.resolve("words.txt"), "pear\napple\n");
        List<String> commands =
                readme().lines().filter(line -> line.startsWith("penstock ")).toList();
        assertTrue(commands.size() >= 6, commands.toString());
        for (String command : commands) {
            Object[] words = Arrays.stream(
                            command.replaceFirst("#.*", "").strip().split(" +"))
                    .skip(1)
                    .map(word -> word.matches("photos.*|words.*|out") ? folder.resolve(word) : word)
                    .toArray();
            CommandRun run = CommandRun.of(words);
            assertEquals(0, run.exitCode(), command + ": " + run.err());
        }
        assertTrue(Files.exists(folder.resolve("out/3.jpg")));
    }

    @Test
    void theJavaOfTheReadmeIsWhatRunsHere() throws IOException {
        Path path = folder.resolve("photos.a2pack");
        CommandRun.of("pack", "build", "--input", photos(), "--output", path, "--all-files");
        // [readme]
        try (PackReader pack = PackReader.open(path);
                Batch batch = Batch.create(pack.fields())) {
            pack.gather(new long[] {3, 0, 3}, batch);
            Column values = batch.column("value");
            MemorySegment second = values.value(1);
            // [readme]
            assertEquals(3, batch.rowCount());
            assertEquals(100, second.byteSize());
        }
        for (String line : ownLines()) {
            String shown = line.strip().replace("open(path)", "open(Path.of(\"photos.a2pack\"))");
            assertTrue(readme().contains(shown), "the README does not show: " + shown);
        }
    }

    /// The lines between the marks in this file.
    private static List<String> ownLines() throws IOException {
        Path source = CommandRun.root().resolve("app/src/test/java/dev/penstock/app/ReadmeTest.java");
        List<String> parts = List.of(Files.readString(source).split("// \\[readme\\]\n"));
        assertTrue(parts.size() >= 3, "the marks are there");
        return parts.get(1).lines().filter(line -> !line.isBlank()).toList();
    }

    @Test
    void theDemoRunsAndSaysSo() {
        CommandRun run = CommandRun.of("demo");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("records/s"), run.out());
        assertTrue(run.out().contains("times as fast as its files"), run.out());
        assertTrue(run.out().lines().count() <= 14, run.out());
    }
}
