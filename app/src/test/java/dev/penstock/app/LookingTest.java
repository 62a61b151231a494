// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that show records: from an index on, some at random, and by the kind of value.
final class LookingTest {
    @TempDir
    Path folder;

    private Path numbers(int count) throws IOException {
        StringBuilder lines = new StringBuilder("id\n");
        for (int i = 0; i < count; i++) {
            lines.append(i).append('\n');
        }
        Path csv = Files.writeString(folder.resolve("numbers.csv"), lines);
        fine("table", "write", "--input", csv, "--output", folder.resolve("numbers.npy"));
        return folder.resolve("numbers.npy");
    }

    private static List<String> fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run.out().lines().map(String::strip).toList();
    }

    private static void refused(String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains(message), run.err());
    }

    @Test
    void headShowsRecordsFromAnIndexOn() throws IOException {
        Path numbers = numbers(30);
        assertEquals(List.of("7  id=7", "8  id=8"), fine("head", numbers, "--offset", 7, "-n", 2));
        assertEquals(List.of("29  id=29"), fine("head", numbers, "--offset", 29));
        assertEquals(List.of(), fine("head", numbers, "--offset", 30));
        assertEquals(
                List.of("21  id=21", "28  id=28"),
                fine("head", numbers, "--offset", 15, "--where", "id in (7, 14, 21, 28)"));
        refused("--offset 31 is behind the end", "head", numbers, "--offset", 31);
        refused("--offset must not be negative", "head", numbers, "--offset", -1);
    }

    @Test
    void aSampleHasTheNumberOfRecordsThatWasAskedFor() throws IOException {
        Path numbers = numbers(1000);
        List<String> five = fine("sample", numbers, "-n", 5);
        assertEquals(5, five.size());
        assertEquals(five, fine("sample", numbers, "-n", 5), "the same every time");
        assertTrue(!five.equals(fine("sample", numbers, "-n", 5, "--seed", 1)));
        for (String line : five) {
            String index = line.split(" ")[0];
            assertEquals(index + "  id=" + index, line);
        }
        List<String> matching = fine("sample", numbers, "-n", 3, "--where", "id >= 990");
        assertEquals(3, matching.size());
        assertTrue(matching.stream().allMatch(line -> line.startsWith("99")), matching.toString());
        assertEquals(
                10, fine("sample", numbers, "-n", 50, "--where", "id >= 990").size());
        Path some = folder.resolve("some.npy");
        fine("sample", numbers, "-n", 5, "-o", some);
        assertEquals(
                five.stream().map(line -> line.replaceAll("^[0-9]+ +", "")).toList(),
                fine("head", some).stream()
                        .map(line -> line.replaceAll("^[0-9]+ +", ""))
                        .toList());
        refused("give either -n", "sample", numbers);
        refused("give either -n", "sample", numbers, "-n", 5, "--fraction", "0.5");
    }

    @Test
    void picturesAreShownByKindAndSizeAndLongArraysWithTheirShape() throws IOException {
        Path photos = Files.createDirectory(folder.resolve("photos"));
        ImageIO.write(
                new BufferedImage(40, 30, BufferedImage.TYPE_INT_RGB),
                "png",
                photos.resolve("a.png").toFile());
        Path pack = folder.resolve("photos.a2pack");
        fine("pack", "build", "--input", photos, "--output", pack, "--all-files");
        assertTrue(
                fine("head", pack).getFirst().endsWith("a.png  image/png 40x30"),
                fine("head", pack).toString());
        Path lines = Files.writeString(folder.resolve("v.jsonl"), "{\"v\":[" + "1,".repeat(39) + "1]}\n");
        fine("convert", lines, folder.resolve("v.npy"));
        assertTrue(fine("head", folder.resolve("v.npy")).getFirst().contains("(40) [1 1 "));
    }
}
