// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Parses a number of bytes such as `512m`. The units are powers of 1,024.
public final class ByteCount implements ITypeConverter<Long> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})([kmgt]?)(i?b)?");
    private static final String UNITS = "kmgt";

    /// @throws TypeConversionException when the text is not a number of bytes
    @Override
    public Long convert(String text) {
        Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException(text + " is not a number of bytes such as 4096, 512m or 4g");
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
        } catch (ArithmeticException e) {
            throw new TypeConversionException(text + " is out of range");
        }
    }
}
