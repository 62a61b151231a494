// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import java.util.Locale;

/// The name of a file in a WebDataset: the key of its sample, and what the file is to the sample.
///
/// The key is the path up to the first dot of the last name; the rest in lower case is the extension. A name
/// without an extension, that begins with a dot, or whose key is like `__meta__`, belongs to no sample.
record SampleName(String key, String extension) {
    /// @return null when the file belongs to no sample
    static SampleName of(String path) {
        int name = path.lastIndexOf('/') + 1;
        int dot = path.indexOf('.', name);
        if (dot <= name || dot == path.length() - 1) {
            return null;
        }
        String key = path.substring(0, dot);
        boolean isMeta = key.startsWith("__") && key.endsWith("__");
        return isMeta ? null : new SampleName(key, path.substring(dot + 1).toLowerCase(Locale.ROOT));
    }
}
