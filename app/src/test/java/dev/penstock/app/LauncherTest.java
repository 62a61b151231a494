// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The launcher `penstock` with a stand-in for Java, in folders where it cannot write everything.
class LauncherTest {
    private static final Path SOURCE = Path.of("..").toAbsolutePath().normalize();

    /// Writes down its arguments, and creates the cache when it is told to.
    private static final String JAVA = """
            #!/usr/bin/env bash
            echo "$@" >>"$JAVA_HOME/calls"
            for word in "$@"; do
              case $word in -XX:AOTCacheOutput=*) echo cache >"${word#*=}" ;; esac
            done
            """;

    private static final Duration SOURCE_AGE = Duration.ofMinutes(2);
    private static final Duration JAR_AGE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private Path checkout;
    private Path jdk;

    @BeforeEach
    void copy() throws IOException {
        checkout = folder.resolve("checkout");
        jdk = folder.resolve("jdk");
        Files.createDirectories(checkout.resolve(".mvn"));
        Files.createDirectories(jdk.resolve("bin"));
        Files.copy(SOURCE.resolve("penstock"), checkout.resolve("penstock"));
        Files.copy(SOURCE.resolve(".mvn/jdk25.sh"), checkout.resolve(".mvn/jdk25.sh"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        for (String name : List.of("java", "javac")) {
            Files.writeString(jdk.resolve("bin").resolve(name), JAVA);
            Files.setPosixFilePermissions(
                    jdk.resolve("bin").resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        writeAged(checkout.resolve("pom.xml"), SOURCE_AGE);
        for (String module : modules()) {
            Files.createDirectories(checkout.resolve(module).resolve("src/main"));
            writeAged(checkout.resolve(module).resolve("pom.xml"), SOURCE_AGE);
        }
    }

    /// The folders whose sources the launcher compares with the jar.
    private static List<String> modules() throws IOException {
        Matcher matcher = Pattern.compile("build_if_stale \"\\$jar\" app ([\\w ]+)")
                .matcher(Files.readString(SOURCE.resolve("penstock")));
        assertTrue(matcher.find());
        return List.of(matcher.group(1).split(" "));
    }

    private void build() throws IOException {
        Files.createDirectories(checkout.resolve("app/target"));
        writeAged(checkout.resolve("app/target/penstock-all.jar"), JAR_AGE);
    }

    private static void writeAged(Path file, Duration age) throws IOException {
        Files.writeString(file, "");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    }

    private record Outcome(int exitCode, String text) {}

    private Outcome run(Map<String, String> variables) throws IOException {
        ProcessBuilder process = new ProcessBuilder(
                        "bash", checkout.resolve("penstock").toString(), "info", "x")
                .redirectErrorStream(true);
        process.environment().put("JAVA_HOME", jdk.toString());
        process.environment().putAll(variables);
        Process started = process.start();
        String text = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Outcome(started.waitFor(), text);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(jdk.resolve("calls"));
    }

    @Test
    void theFirstUseMakesTheCacheAndTheSecondUsesIt() throws IOException {
        build();
        assertEquals(new Outcome(0, ""), run(Map.of()));
        assertEquals(2, calls().size(), calls().toString());
        assertTrue(calls().getFirst().contains("dev.penstock.app.Training"), calls().toString());
        assertEquals(new Outcome(0, ""), run(Map.of()));
        assertEquals(3, calls().size(), calls().toString());
        assertTrue(calls().getLast().endsWith("dev.penstock.app.Main info x"), calls().toString());
        assertTrue(calls().getLast().contains("-XX:AOTCache=" + checkout.toRealPath() + "/app/target/penstock.aot"));
    }

    @Test
    void jarsOfPluginsStandBehindTheOwnJar() throws IOException {
        build();
        assertEquals(new Outcome(0, ""), run(Map.of("PENSTOCK_PLUGINS", "/a/toy.jar:/b/other.jar")));
        String path = checkout.toRealPath() + "/app/target/penstock-all.jar";
        assertFalse(calls().getFirst().contains("toy.jar"), "the cache has no plug-ins: " + calls());
        assertTrue(calls().getLast().contains("-cp " + path + ":/a/toy.jar:/b/other.jar "), calls().toString());
    }

    /// The training writes files, and must not write them into the current folder.
    @Test
    void withoutAFolderForTemporaryFilesNoCacheIsMade() throws IOException {
        build();
        assertEquals(
                new Outcome(0, ""),
                run(Map.of("TMPDIR", folder.resolve("missing").toString())));
        assertEquals(1, calls().size(), calls().toString());
        assertFalse(Files.exists(checkout.resolve("app/target/penstock.aot")));
    }

    @Test
    void aJarThatCannotBeBuiltAgainIsUsedAndTheUserIsTold() throws IOException {
        build();
        Files.writeString(checkout.resolve("target"), "a file where the folder of the build would be");
        Files.writeString(checkout.resolve("app/src/main/New.java"), "");
        Outcome outcome = run(Map.of());
        assertEquals(0, outcome.exitCode(), outcome.text());
        assertTrue(outcome.text().contains("is older than the sources"), outcome.text());
        assertTrue(calls().getLast().endsWith("dev.penstock.app.Main info x"), calls().toString());
    }

    @Test
    void whereNothingCanBeBuiltTheUserIsTold() throws IOException {
        Files.writeString(checkout.resolve("target"), "a file where the folder of the build would be");
        Outcome outcome = run(Map.of());
        assertEquals(3, outcome.exitCode(), outcome.text());
        assertTrue(outcome.text().contains("penstock is not built, and cannot be"), outcome.text());
    }
}
