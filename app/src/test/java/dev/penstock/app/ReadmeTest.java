// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.pack.PackReader;
import dev.penstock.query.Where;
import dev.penstock.table.TableReader;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the commands and the Java code of the README and the first pages as they are printed.
final class ReadmeTest {
    /// The first letters of the names of files and folders in the commands.
    private static final String NAMES = "(photos|steps|more|idx|words|out|games|moves|all|half|state).*";

    @TempDir
    Path folder;

    private static String page(String name) throws IOException {
        return Files.readString(CommandRun.root().resolve(name));
    }

    private Path photos() throws IOException {
        Path photos = Files.createDirectory(folder.resolve("photos"));
        for (int i = 0; i < 5; i++) {
            Files.write(photos.resolve(i + ".jpg"), new byte[100 + i]);
        }
        return photos;
    }

    /// Text and a table to write and to add.
    private void steps() throws IOException {
        StringBuilder text = new StringBuilder("board,move,ev\n");
        for (int i = 0; i < 20; i++) {
            text.append(1000 + i)
                    .append(',')
                    .append(i % 4)
                    .append(',')
                    .append(i / 10.0)
                    .append('\n');
        }
        Path csv = Files.writeString(folder.resolve("steps.csv"), text);
        CommandRun.of("table", "write", "--input", csv, "--output", folder.resolve("more.npy"));
    }

    /// The checkpoint of a run over the table.
    private void checkpoint() throws IOException {
        try (TableReader steps = TableReader.open(folder.resolve("steps.npy"))) {
            LoaderOptions options = LoaderOptions.of(4).withSampler(new PermutationSampler(steps.count(), 7));
            try (Loader loader = Loader.open(steps, options)) {
                loader.iterator().next();
                Files.writeString(folder.resolve("state.json"), loader.state().toJson());
            }
        }
    }

    /// The command with fewer games and less time for measuring.
    private static String smaller(String command) {
        return command.replace("--games 200", "--games 20")
                .replace("--seconds 1 ", "--seconds 0.1 ")
                .replace("41000..41050", "0..1");
    }

    /// The words of a line of the shell, without its comment.
    private Object[] words(String command) {
        return Pattern.compile("\"([^\"]*)\"|\\S+")
                .matcher(smaller(command).replaceFirst("#.*", ""))
                .results()
                .map(word -> word.group(1) == null ? word.group() : word.group(1))
                .skip(1)
                .map(word -> word.matches(NAMES) ? folder.resolve(word) : word)
                .toArray();
    }

    /// The lines of a page that are commands.
    private static List<String> commands(String page) throws IOException {
        return page(page).lines().filter(line -> line.startsWith("penstock ")).toList();
    }

    @Test
    void theCommandsOfTheReadmeRun() throws IOException {
        photos();
        steps();
        List<String> commands = commands("README.md");
        assertTrue(commands.size() >= 6, commands.toString());
        // The tests of the explorer start the server.
        for (String command : commands.stream()
                .filter(one -> !one.startsWith("penstock serve"))
                .toList()) {
            CommandRun run = CommandRun.of(words(command));
            assertEquals(0, run.exitCode(), command + ": " + run.err());
        }
    }

    @Test
    void theCommandsOfThePageAboutCommandsRun() throws IOException {
        photos();
        steps();
        Files.writeString(folder.resolve("words.txt"), "pear\napple\n");
        List<String> commands = commands("docs/commands.md");
        assertTrue(commands.size() >= 14, commands.toString());
        for (String command : commands) {
            if (command.startsWith("penstock history")) {
                checkpoint();
            }
            CommandRun run = CommandRun.of(words(command));
            assertEquals(0, run.exitCode(), command + ": " + run.err());
        }
        assertTrue(Files.exists(folder.resolve("out/3.jpg")));
    }

    @Test
    void theJavaAboutPacksIsWhatRunsHere() throws IOException {
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
        requireShown(1, "photos.a2pack");
    }

    @Test
    void theJavaAboutTablesIsWhatRunsHereToo() throws IOException {
        steps();
        Path path = folder.resolve("more.npy");
        // [readme]
        try (TableReader steps = TableReader.open(path);
                Batch batch = Batch.create(steps.fields())) {
            Subset left = Where.select(steps, "move == 2 and ev > 0.5");
            left.gather(new long[] {1, 0}, batch);
            MemorySegment boards = batch.column("board").values();
            long board = steps.column("board").getLong(7);
            // [readme]
            assertEquals(1010, boards.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(1007, board);
        }
        requireShown(3, "steps.npy");
    }

    @Test
    void theJavaAboutTheLoaderIsWhatRunsHereAsWell() throws IOException {
        steps();
        Path path = folder.resolve("more.npy");
        // [readme]
        try (TableReader steps = TableReader.open(path)) {
            LoaderOptions options = LoaderOptions.of(256).withSampler(new PermutationSampler(steps.count(), 42));
            try (Loader loader = Loader.open(steps, options)) {
                for (LoaderBatch batch : loader) {
                    MemorySegment boards = batch.column("board").values();
                    // [readme]
                    assertEquals(20 * 8, boards.byteSize());
                    // [readme]
                }
                String state = loader.state().toJson();
                // [readme]
                assertTrue(state.length() < 1024, state);
            }
        }
        requireShown(5, "steps.npy");
        requireShown(7, "steps.npy");
    }

    @Test
    void theProgramOfThePageIsTheExampleProject() throws IOException {
        String page = page("docs/java.md");
        String program = page("examples/maven/src/main/java/example/Example.java");
        assertTrue(page.contains(program.substring(program.indexOf("package"))), "docs/java.md shows Example.java");
        String project = page("examples/maven/pom.xml").replaceAll("(?m)^ {4}", "");
        int start = project.indexOf("<dependency>");
        String dependency = project.substring(start, project.indexOf("</dependency>"));
        assertTrue(page.contains(dependency), "docs/java.md has the dependency of pom.xml");
    }

    /// The page about Java shows the lines between the marks in this file, a part of it, with a path of its own.
    private static void requireShown(int part, String shownPath) throws IOException {
        Path source = CommandRun.root().resolve("app/src/test/java/dev/penstock/app/ReadmeTest.java");
        List<String> parts = List.of(Files.readString(source).split("// \\[readme\\]\n"));
        assertTrue(parts.size() >= 9, "the marks are there");
        List<String> lines =
                parts.get(part).lines().filter(line -> !line.isBlank()).toList();
        for (String line : lines) {
            String shown = line.strip().replace("open(path)", "open(Path.of(\"" + shownPath + "\"))");
            assertTrue(page("docs/java.md").contains(shown), "docs/java.md does not show: " + shown);
        }
    }

    @Test
    @Tag("full")
    void theDemoRunsAndSaysSo() {
        CommandRun run = CommandRun.of("demo");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("records/s"), run.out());
        assertTrue(run.out().contains("times as fast as the files"), run.out());
        assertTrue(run.out().contains("every field in its own array"), run.out());
        assertTrue(run.out().contains(" remaining samples are those of an uninterrupted run"), run.out());
        assertTrue(run.out().lines().count() <= 26, run.out());
    }
}
