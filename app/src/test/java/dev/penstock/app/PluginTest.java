// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The plug-in of `examples/plugin`: its jar on the class path adds a format and a command to the command line.
class PluginTest {
    private static final Path EXAMPLE = CommandRun.root().resolve("examples/plugin/java");

    @TempDir
    private static Path folder;

    private static Path jar;
    private static Path numbers;

    @BeforeAll
    static void build() throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        compile(classes);
        jar = folder.resolve("toy.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream target = new JarOutputStream(file)) {
            addAll(target, classes, classes);
            addAll(target, EXAMPLE, EXAMPLE.resolve("META-INF"));
        }
        numbers = folder.resolve("numbers.toy");
        ByteBuffer bytes = ByteBuffer.allocate(4 + 3 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put("TOYS".getBytes(StandardCharsets.US_ASCII));
        bytes.putLong(3).putLong(-1).putLong(40);
        Files.write(numbers, bytes.array());
    }

    private static void compile(Path classes) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
        files(EXAMPLE.resolve("example")).forEach(source -> words.add(source.toString()));
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, words.toArray(String[]::new)));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }

    private static void addAll(JarOutputStream target, Path root, Path folder) throws IOException {
        for (Path file : files(folder)) {
            target.putNextEntry(new JarEntry(root.relativize(file).toString()));
            Files.copy(file, target);
        }
    }

    /// Runs a command with the jar on the class path, as the launchers do.
    private static String run(int exitCode, Object... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + jar,
                Main.class.getName()));
        Stream.of(words).forEach(word -> line.add(word.toString()));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(exitCode, process.waitFor(), text);
        return text;
    }

    @Test
    void infoAndHeadReadTheFormatOfAPlugin() throws Exception {
        String info = run(0, "info", "--json", numbers);
        assertTrue(info.contains("\"format\":\"toy\"") && info.contains("\"records\":3"), info);
        assertEquals("       0  number=3\n       1  number=-1\n", run(0, "head", "--quiet", "-n", "2", numbers));
    }

    @Test
    void aPluginAddsACommand() throws Exception {
        assertEquals("sum 42\n", run(0, "sum", numbers));
    }

    @Test
    void aPluginAddsASourceOfConversions() throws Exception {
        Path list = Files.writeString(folder.resolve("list.txt"), "TOY LIST\na 1\nb c 20\nbad x\n");
        Path store = folder.resolve("list.store");
        assertTrue(run(1, "convert", list, store).contains("record bad x: field number: it is not a whole number"));
        String json = run(0, "convert", "--json", "--on-error", "skip", list, store);
        assertTrue(json.contains("\"records\":2") && json.contains("\"badLeftOut\":1"), json);
        assertEquals("       0  name=a  number=1\n       1  name=b c  number=20\n", run(0, "head", "--quiet", store));
        assertTrue(run(0, "info", list).contains("list.txt: a toy list"));
        assertTrue(Files.readString(folder.resolve("list.store.left-out.jsonl")).contains("\"record\":\"bad x\""));
    }

    @Test
    void damageOfAPluginsFormatHasItsExitCode() throws Exception {
        Path cut = Files.write(folder.resolve("cut.toy"), new byte[] {'T', 'O', 'Y', 'S', 7});
        String text = run(1, "sum", cut);
        assertTrue(text.contains("the last number is incomplete"), text);
    }

    /// Without the jar nothing knows the format and the command.
    @Test
    void withoutThePluginTheFormatIsUnknown() {
        assertEquals(1, CommandRun.of("info", numbers).exitCode());
        assertEquals(2, CommandRun.of("sum", numbers).exitCode());
    }
}
