// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The cache of remote objects on the local disk: its folder and its size.
///
/// @param folder     the folder, which holds nothing else; all processes of a machine may share it
/// @param limitBytes the size that all cached blocks may have together; 0 for no cache
public record CacheOptions(Path folder, long limitBytes) {
    /// The environment variable with the cache of datasets that are opened without one.
    public static final String VARIABLE = "PENSTOCK_CACHE";

    /// No cache.
    public static final CacheOptions NONE = new CacheOptions(Path.of(""), 0);

    private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?) ?([KMGTP]?)(I?)B?");
    private static final String UNITS = "KMGTP";

    public CacheOptions {
        Objects.requireNonNull(folder, "folder");
        if (limitBytes < 0) {
            throw new IllegalArgumentException("the size of a cache must not be negative, got " + limitBytes);
        }
    }

    /// The cache that the environment variable [#VARIABLE] describes, or [#NONE] when it is not set.
    public static CacheOptions ofEnvironment() {
        String text = System.getenv(VARIABLE);
        try {
            return text == null || text.isBlank() ? NONE : parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the environment variable " + VARIABLE + ": " + e.getMessage(), e);
        }
    }

    /// Reads `SIZE`, such as `200GB`, or `FOLDER:SIZE`, such as `/fast/cache:1.5TB`. Without a folder the cache is
    /// in [#defaultFolder]. `0` is no cache.
    ///
    /// @throws IllegalArgumentException when the text is neither
    public static CacheOptions parse(String text) {
        int colon = text.lastIndexOf(':');
        long limit = bytes(text.substring(colon + 1));
        if (limit < 0 || colon == 0) {
            throw new IllegalArgumentException("'" + text + "' is not a cache: write its size, as in 200GB, or its"
                    + " folder and its size, as in /fast/cache:200GB; 0 is no cache");
        }
        if (limit == 0) {
            return NONE;
        }
        return new CacheOptions(colon < 0 ? defaultFolder() : Path.of(text.substring(0, colon)), limit);
    }

    /// The number of bytes that a text such as `200GB` or `1.5TiB` names, or -1 when it names none.
    public static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            return -1;
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
        BigDecimal unit =
                BigDecimal.valueOf(matcher.group(3).isEmpty() ? 1000 : 1024).pow(power);
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(unit);
        return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? -1 : bytes.longValue();
    }

    /// The folder of a cache for which none was given: `penstock` in the user's cache folder.
    public static Path defaultFolder() {
        String caches = System.getenv("XDG_CACHE_HOME");
        Path home = Path.of(System.getProperty("user.home"));
        return (caches == null || caches.isEmpty() ? home.resolve(".cache") : Path.of(caches)).resolve("penstock");
    }

    /// Whether there is a cache.
    public boolean isOn() {
        return limitBytes > 0;
    }
}
