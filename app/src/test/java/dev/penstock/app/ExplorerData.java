// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;

/// A folder with a dataset of every format for the explorer, hostile ones among them.
final class ExplorerData {
    static final int ROW_COUNT = 20_000;

    private static final RowType ROW =
            RowType.of(DType.parse("[('id', '<i8'), ('label', 'u1'), ('weight', '<f4'), ('embedding', '<f4', (64,)),"
                    + " ('board', 'u1', (4, 4))]"));
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private ExplorerData() {}

    static Path write(Path folder) throws IOException {
        Path data = Files.createDirectories(folder.resolve("data"));
        table(data.resolve("table.npy"));
        digits(data.resolve("digits.npy"));
        sparse(data.resolve("billion.npy"), 1_000_000_000);
        tokens(data.resolve("tokens.npy"));
        write(
                data.resolve("clips.npy"),
                new RowType(DType.parse("u1"), List.of(5L, 16L, 16L)),
                MemorySegment.ofArray(new byte[2 * 5 * 16 * 16]));
        run(
                "pack",
                "build",
                "--input",
                photos(folder.resolve("photos")),
                "-o",
                data.resolve("photos.a2pack"),
                "--all-files");
        run(
                "pack",
                "build",
                "--input",
                mixed(folder.resolve("mixed")),
                "-o",
                data.resolve("mixed.a2pack"),
                "--all-files");
        run("convert", data.resolve("table.npy"), data.resolve("table.store"), "--to", "store");
        run("convert", data.resolve("table.npy"), data.resolve("grouped"), "--to", "table", "--fields", "label,weight");
        run("table", "group", data.resolve("grouped"), "--by", "label", "--repeats");
        Path games = Files.createDirectories(folder.resolve("games"));
        run("runs", "play", "--games", 3, "--output", games, "--depth", 0, "--quiet", "--seed", 1);
        run("pack", "build", "--input", games, "-o", data.resolve("runs.a2pack"));
        run("game2048", "steps", "build", "--input", data.resolve("runs.a2pack"), "--output", data.resolve("steps"));
        run("store", "snapshot", "create", data.resolve("table.store"), "before");
        run("store", "update", data.resolve("table.store"), 17, "--set", "label=3", "--set", "weight=2.5");
        run("store", "delete", data.resolve("table.store"), "--indices", "3,5");
        Path words = Files.writeString(folder.resolve("words.txt"), "a\nab\nabc\n");
        run("tree", "build", "--input", words, "-o", data.resolve("names.act"));
        return data;
    }

    private static void run(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
    }

    private static void table(Path path) throws IOException {
        Random random = new Random(1);
        MemorySegment rows = MemorySegment.ofArray(new byte[Math.toIntExact(ROW_COUNT * ROW.size())]);
        for (int row = 0; row < ROW_COUNT; row++) {
            long at = row * ROW.size();
            rows.set(ValueLayout.JAVA_LONG_UNALIGNED, at, row);
            rows.set(ValueLayout.JAVA_BYTE, at + 8, (byte) random.nextInt(10));
            rows.set(INT, at + 9, Float.floatToIntBits((float) random.nextGaussian()));
            for (int i = 0; i < 64; i++) {
                rows.set(INT, at + 13 + i * 4, Float.floatToIntBits((float) random.nextGaussian()));
            }
            for (int i = 0; i < 16; i++) {
                rows.set(ValueLayout.JAVA_BYTE, at + 269 + i, (byte) random.nextInt(12));
            }
        }
        write(path, ROW, rows);
    }

    private static void digits(Path path) throws IOException {
        byte[] pixels = new byte[50 * 28 * 28];
        for (int i = 0; i < pixels.length; i++) {
            int x = i % 28;
            int y = i / 28 % 28;
            int digit = i / (28 * 28);
            pixels[i] =
                    (byte) Math.max(0, 255 - 20 * Math.abs((x - 14) * (x - 14) + (y - 14) * (y - 14) - digit * 4) / 4);
        }
        write(path, new RowType(DType.parse("u1"), List.of(28L, 28L)), MemorySegment.ofArray(pixels));
    }

    /// Rows of four tokens.
    private static void tokens(Path path) throws IOException {
        int[] rows = {0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 1, 0};
        write(path, new RowType(DType.parse("<i4"), List.of(4L)), MemorySegment.ofArray(rows));
    }

    /// Adds a copy of the first record of a table to a store.
    static void append(Path store, Path table) {
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT);
                Dataset dataset = Catalog.open(table);
                Batch batch = Batch.create(dataset.fields())) {
            dataset.gather(new long[] {0}, batch);
            writer.appendAll(batch);
            writer.commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path path, RowType type, MemorySegment rows) throws IOException {
        try (TableWriter writer = TableWriter.create(path, type, TableWriter.Options.DEFAULT)) {
            writer.append(rows);
        }
    }

    /// A table of zeros that takes no space on the disk.
    static Path sparse(Path path, long rowCount) throws IOException {
        String header =
                "{'descr': [('id', '<i8'), ('value', '<f4'), ('kind', '<i4')], 'fortran_order': False, 'shape': ("
                        + rowCount + ",), }";
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) 182, 0});
            file.write((header + " ".repeat(181 - header.length()) + "\n").getBytes(StandardCharsets.ISO_8859_1));
            file.setLength(192 + rowCount * 16);
        }
        return path;
    }

    private static Path photos(Path folder) throws IOException {
        Files.createDirectories(folder);
        Random random = new Random(2);
        for (int i = 0; i < 120; i++) {
            ImageIO.write(
                    photo(random),
                    "png",
                    folder.resolve(String.format("photo-%04d.png", i)).toFile());
        }
        return folder;
    }

    private static BufferedImage photo(Random random) {
        BufferedImage image = new BufferedImage(128, 96, BufferedImage.TYPE_INT_RGB);
        Graphics2D drawing = image.createGraphics();
        float hue = random.nextFloat();
        for (int y = 0; y < 96; y++) {
            drawing.setColor(Color.getHSBColor(hue, 0.5f, 0.4f + y / 200f));
            drawing.fillRect(0, y, 128, 1);
        }
        for (int i = 0; i < 3; i++) {
            drawing.setColor(Color.getHSBColor(random.nextFloat(), 0.8f, 0.9f));
            int size = 15 + random.nextInt(40);
            drawing.fillOval(random.nextInt(100), random.nextInt(70), size, size);
        }
        drawing.dispose();
        return image;
    }

    private static Path mixed(Path folder) throws IOException {
        Files.createDirectories(folder);
        String script = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">";
        Files.writeString(folder.resolve("a.html"), script);
        Files.writeString(folder.resolve("<img src=x onerror=window.hacked=1>"), "a name with markup");
        Files.writeString(
                folder.resolve("b.svg"),
                "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.hacked = 1\">" + script + "</svg>");
        Files.writeString(
                folder.resolve("c.json"),
                "{\"user\": {\"name\": \"" + script.replace("\"", "\\\"")
                        + "\", \"tags\": [1, 2]}, \"__proto__\": {\"x\": 1}}");
        byte[] bytes = new byte[5000];
        new Random(3).nextBytes(bytes);
        Files.write(folder.resolve("d.bin"), bytes);
        Files.writeString(folder.resolve("e.txt"), "Grüße, 世界 \u202e reversed\n".repeat(50));
        byte[] samples = new byte[8000];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (byte) (60 * Math.sin(i / 6.0));
        }
        AudioFormat format = new AudioFormat(8000, 8, 1, true, false);
        AudioInputStream sound = new AudioInputStream(new ByteArrayInputStream(samples), format, samples.length);
        AudioSystem.write(
                sound, AudioFileFormat.Type.WAVE, folder.resolve("f.wav").toFile());
        return folder;
    }
}
