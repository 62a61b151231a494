// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.file.Location;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A local path on the command line. A URI would otherwise become a path with a strange name.
public final class LocalPath implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        Location location;
        try {
            location = Location.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
        if (!location.isLocal()) {
            throw new TypeConversionException(
                    location + " is remote; give a local path: `penstock copy` copies a dataset to and from there");
        }
        return location.path();
    }
}
