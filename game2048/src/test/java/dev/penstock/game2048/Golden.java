// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Files that the original programs wrote, and the values that they read back.
final class Golden {
    private Golden() {}

    static Path root() {
        Path folder = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
        while (!Files.exists(folder.resolve("testdata"))) {
            folder = folder.getParent();
        }
        return folder.resolve("testdata");
    }

    /// A file below `testdata/runs`.
    static Path runs(String name) {
        return root().resolve("runs").resolve(name);
    }

    /// A file below `testdata/pack`.
    static Path pack(String name) {
        return root().resolve("pack").resolve(name);
    }

    /// A run by the path it has in `expected.json`.
    static Path run(String name) {
        Path own = runs(name.replaceFirst("^runs/", ""));
        return Files.exists(own) ? own : pack(name);
    }

    static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> json(Path file) {
        return (Map<String, Object>) Json.parse(quoteLargeNumbers(bytes(file)));
    }

    /// Numbers of more than 63 bits as text, which the project's reader of JSON has no type for.
    private static byte[] quoteLargeNumbers(byte[] text) {
        return new String(text, StandardCharsets.UTF_8)
                .replaceAll("([:,\\[] ?)(\\d{19,})(?=[,}\\]\\s])", "$1\"$2\"")
                .getBytes(StandardCharsets.UTF_8);
    }

    /// The objects of a file with one in each line.
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> lines(String name) {
        try (Stream<String> lines = Files.lines(runs(name))) {
            return lines.map(line -> (Map<String, Object>) Json.parse(line.getBytes()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    static long hex(Object text) {
        return Long.parseUnsignedLong(text.toString().replaceFirst("^0x", ""), 16);
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /// A file of other people, from the folder that `PENSTOCK_EXTRA_DATA` names, or null.
    static Path extra(String name) {
        String folder = System.getenv("PENSTOCK_EXTRA_DATA");
        Path file = folder == null ? null : Path.of(folder, name);
        return file != null && Files.exists(file) ? file : null;
    }
}
