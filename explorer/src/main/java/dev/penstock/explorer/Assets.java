// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;

/// The files of the page, which are resources of the jar.
final class Assets {
    /// No dots except for the one before the extension, so that a name cannot lead out of the folder.
    private static final Pattern NAME = Pattern.compile("(?:[A-Za-z0-9-]+/)*[A-Za-z0-9-]+\\.(js|css|svg)");

    private static final Map<String, String> TYPES =
            Map.of("js", "text/javascript; charset=utf-8", "css", "text/css; charset=utf-8", "svg", "image/svg+xml");

    private Assets() {}

    /// The page that loads the others.
    static byte[] shell() throws IOException {
        return read("index.html");
    }

    /// The content type of a file, or null when the name is not that of a file of the page.
    static String type(String name) {
        return NAME.matcher(name).matches() ? TYPES.get(name.substring(name.lastIndexOf('.') + 1)) : null;
    }

    /// The content of a file, or null when there is none.
    static byte[] read(String name) throws IOException {
        try (InputStream resource = Assets.class.getResourceAsStream("page/" + name)) {
            return resource == null ? null : resource.readAllBytes();
        }
    }
}
