// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.file.Location;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A path, or the URI of a remote dataset, on the command line.
public final class LocationText implements ITypeConverter<Location> {
    @Override
    public Location convert(String text) {
        try {
            return Location.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
