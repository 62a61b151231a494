// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Converts datasets, and looks at the result.
final class ConversionSamples {
    private ConversionSamples() {}

    /// Converts, and returns what was done.
    static Conversion.Report convert(
            Path source, Path target, String format, TargetOptions options, RecordChoice choice) throws IOException {
        try (RecordSource records = Sources.open(source, SourceOptions.DEFAULT.withChoice(choice))) {
            return Conversion.of(records, target, format, options).run(Progress.NONE, Progress.NONE);
        }
    }

    static Conversion.Report convert(Path source, Path target, String format) throws IOException {
        return convert(source, target, format, TargetOptions.DEFAULT, RecordChoice.ALL);
    }

    /// The fingerprint of all records, which is the same in every format.
    static String content(Path path) throws IOException {
        try (Dataset dataset = Catalog.open(path)) {
            return dataset.fullFingerprint(Progress.NONE);
        }
    }

    /// The sorted names of the entries of a folder.
    static List<String> names(Path folder) throws IOException {
        return Disk.real().list(folder).stream()
                .map(path -> path.getFileName().toString())
                .sorted()
                .toList();
    }

    static boolean isEmpty(Path folder) throws IOException {
        return Disk.real().list(folder).isEmpty();
    }
}
