// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names with a range of numbers, as in `train-{000..010}.tar`, the way in which shards of WebDataset are named.
final class NumberedNames {
    private static final Pattern RANGE = Pattern.compile("\\{(\\d{1,18})\\.\\.(\\d{1,18})}");
    private static final long NAMES_MAX = 1_000_000;

    private NumberedNames() {}

    /// The locations that a location with numbers or wildcards stands for.
    ///
    /// @throws java.nio.file.NoSuchFileException when nothing matches
    static List<Location> expand(Location location, Catalog.Options options) throws IOException {
        Matcher range = RANGE.matcher(location.name());
        if (!range.find() || options.reading().storageOf(location).exists(location)) {
            return Catalog.expand(location, options);
        }
        long first = Long.parseLong(range.group(1));
        long last = Long.parseLong(range.group(2));
        if (last < first || last - first >= NAMES_MAX) {
            throw new IllegalArgumentException(
                    location + ": " + range.group() + " is not a range of at most " + NAMES_MAX + " numbers");
        }
        List<Location> all = new ArrayList<>();
        Location parent = location.parent();
        for (long number = first; number <= last; number++) {
            String digits = String.format("%0" + range.group(1).length() + "d", number);
            String name = new StringBuilder(location.name())
                    .replace(range.start(), range.end(), digits)
                    .toString();
            all.add(parent == null ? Location.parse(name) : parent.resolve(name));
        }
        return all;
    }
}
