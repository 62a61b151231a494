// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/// The formats that records can be written to.
public final class Targets {
    private static final List<Target> OWN = List.of(
            new PackTarget(),
            new TableTarget(),
            new StoreTarget(),
            new ShardsTarget(),
            TextTarget.JSON_LINES,
            TextTarget.CSV);

    private Targets() {}

    /// The targets of this module, then those of other modules.
    private static final class All {
        static final List<Target> TARGETS = find();

        private static List<Target> find() {
            List<Target> all = new ArrayList<>(OWN);
            ServiceLoader.load(Target.class, Targets.class.getClassLoader()).forEach(all::add);
            return List.copyOf(all);
        }
    }

    /// All targets.
    public static List<Target> all() {
        return All.TARGETS;
    }

    /// The names of all formats, in the order of the alphabet.
    public static List<String> names() {
        return all().stream().map(Target::format).sorted().toList();
    }

    /// The target of a format, or empty if the format can only be read.
    public static Optional<Target> named(String format) {
        return all().stream().filter(target -> target.format().equals(format)).findFirst();
    }

    /// The target whose extension a path has.
    public static Optional<Target> ofExtension(Path path) {
        return all().stream().filter(target -> hasExtension(target, path)).findFirst();
    }

    private static boolean hasExtension(Target target, Path path) {
        return target.extensions().stream().anyMatch(path.toString()::endsWith);
    }

    /// The usual format for records: a table if all fields have a fixed size and no value is known to be missing,
    /// and otherwise a store.
    public static String usual(RecordSource source) {
        boolean isVariable = source.fields().stream().anyMatch(Field::isVariable);
        return isVariable || source.hasMissing() ? "store" : "table";
    }

    /// The names in folders of all formats that can be written.
    static OwnNames ownNames() {
        return OwnNames.of(
                all().stream().flatMap(target -> target.folderNames().stream()).toList());
    }

    /// The target for a new dataset.
    ///
    /// @param format the name of the format, or null to use the extension of the path
    /// @throws IllegalArgumentException when the format is not given, or name and extension contradict each other
    public static Target choose(Path path, String format) {
        Target byExtension = ofExtension(path).orElse(null);
        if (format == null && byExtension != null) {
            return byExtension;
        }
        String known = String.join(", ", names());
        if (format == null) {
            throw new IllegalArgumentException("the name " + path + " does not say which format it is to have: choose"
                    + " one of " + known + ", or end the name in "
                    + all().stream()
                            .flatMap(target -> target.extensions().stream().limit(1))
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        if (byExtension != null && !byExtension.format().equals(format)) {
            throw new IllegalArgumentException(path + " has the extension of a " + byExtension.format()
                    + " and is to become a " + format + "; change one of them");
        }
        return named(format)
                .orElseThrow(() -> new IllegalArgumentException(
                        "records cannot be converted to the format " + format + "; the formats are " + known));
    }
}
