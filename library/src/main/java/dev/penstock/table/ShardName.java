// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The name of a shard of a table, such as `rows-00007.npy`. A series of shards keeps its number of digits,
/// because other programs read shards in the order of their names.
///
/// @param series     the start of the name up to the number, such as `rows-`
/// @param digitCount the number of digits, five or six
public record ShardName(String series, long number, int digitCount) {
    private static final String EXTENSION = ".npy";
    private static final int DIGIT_COUNT = 5;
    private static final Pattern NAME = Pattern.compile("(.+[-_])(\\d{5,6})\\.npy");

    /// The first name of a new series.
    public static ShardName first(String series) {
        return new ShardName(series, 0, DIGIT_COUNT);
    }

    /// Parses the name of a file. Returns empty if it is not that of a shard.
    public static Optional<ShardName> parse(String file) {
        Matcher matcher = NAME.matcher(file);
        return matcher.matches()
                ? Optional.of(new ShardName(
                        matcher.group(1),
                        Long.parseLong(matcher.group(2)),
                        matcher.group(2).length()))
                : Optional.empty();
    }

    /// Parses the name of a shard.
    ///
    /// @throws IllegalArgumentException when it is not one
    static ShardName of(String file) {
        return parse(file).orElseThrow(() -> new IllegalArgumentException(file + " is not a valid name of a shard"));
    }

    static ShardName of(Path file) {
        return of(file.getFileName().toString());
    }

    static boolean isShard(String file) {
        return NAME.matcher(file).matches();
    }

    /// The name of the next shard of the series.
    public ShardName next() {
        return new ShardName(series, number + 1, digitCount);
    }

    /// The name of the file.
    ///
    /// @throws IllegalArgumentException when the number has too many digits
    public String file() {
        String digits = Long.toString(number);
        if (digits.length() > digitCount) {
            throw new IllegalArgumentException(
                    "too many shards: names have only " + digitCount + " digits; write larger shards");
        }
        return series + "0".repeat(digitCount - digits.length()) + digits + EXTENSION;
    }
}
