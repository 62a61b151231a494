// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The name of a shard, such as `steps-00000.npy`. Shards of other programs have six digits; a series keeps its
/// number of digits, because programs read shards in the order of their names.
record StepsShard(long number, int digits) {
    static final StepsShard FIRST = new StepsShard(0, 5);

    private static final Pattern NAME = Pattern.compile(Pattern.quote(StepsFormat.SERIES) + "(\\d{5,6})\\.npy");

    /// Returns null when the name is not that of a shard.
    static StepsShard of(String file) {
        Matcher matcher = NAME.matcher(file);
        return matcher.matches()
                ? new StepsShard(
                        Long.parseLong(matcher.group(1)), matcher.group(1).length())
                : null;
    }

    StepsShard next() {
        return new StepsShard(number + 1, digits);
    }

    /// @throws IllegalArgumentException when the number has too many digits
    String file() {
        String text = String.format(Locale.ROOT, "%0" + digits + "d", number);
        if (text.length() > digits) {
            throw new IllegalArgumentException("shards are numbered with " + digits
                    + " digits, and all numbers are used; use more rows for each shard");
        }
        return StepsFormat.SERIES + text + ".npy";
    }
}
