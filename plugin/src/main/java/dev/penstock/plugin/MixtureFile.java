// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// A file that declares a mixture, in JSON or YAML ([dev.penstock.loader.MixtureText]).
public final class MixtureFile {
    /// The largest size of such a file in bytes.
    private static final int SIZE_MAX = 1 << 20;

    private MixtureFile() {}

    /// Reads the values of a file. Files whose name ends in `.json` are JSON, and all others YAML.
    ///
    /// @throws IllegalArgumentException when the file is no JSON or YAML, or has no object
    public static Map<?, ?> read(Path file) throws IOException {
        if (Files.size(file) > SIZE_MAX) {
            throw new IllegalArgumentException(file + " has " + Files.size(file)
                    + " bytes, and files that declare a mixture have at most " + SIZE_MAX);
        }
        byte[] bytes = Files.readAllBytes(file);
        Object value;
        try {
            value = file.toString().endsWith(".json")
                    ? Json.parse(bytes)
                    : new Load(LoadSettings.builder()
                                    .setLabel(file.toString())
                                    .setAllowDuplicateKeys(false)
                                    .setCodePointLimit(SIZE_MAX)
                                    .build())
                            .loadFromString(new String(bytes, StandardCharsets.UTF_8));
        } catch (YamlEngineException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    file + " is no valid " + (file.toString().endsWith(".json") ? "JSON" : "YAML") + ": "
                            + e.getMessage(),
                    e);
        }
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IllegalArgumentException(file + " declares no mixture: it needs sources and weights");
    }
}
