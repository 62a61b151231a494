// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The mappings and descriptors of this process for the files of a folder, as Linux reports them.
public final class OpenResources {
    private OpenResources() {}

    /// The mappings and descriptors of files below a folder.
    public static List<String> under(Path folder) throws IOException {
        String prefix = folder.toRealPath().toString();
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            if (line.contains(prefix)) {
                found.add("mapped: " + line);
            }
        }
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String target = target(descriptor);
                if (target.startsWith(prefix)) {
                    found.add("open: " + target);
                }
            }
        }
        return found;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // The descriptor was closed after the folder was listed, like the one for the listing itself.
            return "";
        }
    }
}
