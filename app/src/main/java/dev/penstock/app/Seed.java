// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;

/// A seed of 64 bits. Numbers from 2^63 on stand for the same bits with a sign.
final class Seed implements CommandLine.ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
        try {
            return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
        } catch (NumberFormatException e) {
            throw new CommandLine.TypeConversionException(
                    "a seed is a number from -2^63 to 2^64 - 1, and not " + value);
        }
    }
}
