// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import picocli.CommandLine;

/// Parses a 64-bit seed. Numbers from 2^63 on are the unsigned form of negative ones.
public final class Seed implements CommandLine.ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
        try {
            return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
        } catch (NumberFormatException e) {
            throw new CommandLine.TypeConversionException(
                    "a seed must be a number from -2^63 to 2^64 - 1, got " + value);
        }
    }
}
