// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The names of the shards of a writer: numbers with leading zeros, so that the byte order of the names is that of
/// the numbers.
final class ShardNames {
    private static final String SERIES = "shard_";
    private static final int DIGIT_COUNT = 6;

    /// The number of digits of a number that fits in 63 bits.
    private static final int DIGIT_COUNT_MAX = 18;

    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d+)\\.shard");

    private ShardNames() {}

    /// The first name of a corpus.
    static String first() {
        return name(SERIES, 0, DIGIT_COUNT);
    }

    /// The name after the last shard of a folder. Names are compared by their bytes, so a number with more digits
    /// would come too early.
    ///
    /// @throws IOException when there is no next name
    static String next(Path folder, String last) throws IOException {
        Matcher parts = NUMBERED.matcher(last);
        if (!parts.matches() || parts.group(2).length() > DIGIT_COUNT_MAX) {
            throw new IOException(
                    folder + ": the last shard is named " + last + ", which has no number to continue from; rename it");
        }
        int digitCount = parts.group(2).length();
        long number = Long.parseLong(parts.group(2)) + 1;
        if (String.valueOf(number).length() > digitCount) {
            throw new IOException(folder + ": there is no number of " + digitCount + " digits after " + last
                    + ", and a longer one would come before it; rename the shards");
        }
        return name(parts.group(1), number, digitCount);
    }

    private static String name(String series, long number, int digits) {
        return series + String.format(Locale.ROOT, "%0" + digits + "d", number) + ShardFormat.EXTENSION;
    }
}
