// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.convert.Sources;
import dev.penstock.file.Location;
import dev.penstock.store.StoreTypes;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The option for the type of a file without a header.
final class DtypeOption {
    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            description = "Open a file of plain rows without a header, with rows of this NumPy type, such as"
                    + " '<u2', float32 or \"[('x', '<f4', (3,)), ('y', '<i8')]\".")
    String type;

    /// Adds the type, if one was given.
    Catalog.Options of(Catalog.Options options) {
        if (type == null) {
            return options;
        }
        try {
            return options.withRawType(RowType.of(DType.parse(type)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--dtype: " + e.getMessage(), e);
        }
    }

    /// Refuses the type for sources that have types of their own, where numbers can be converted as well.
    void requireNone(List<Location> sources, Catalog.Options options) throws IOException {
        if (type == null) {
            return;
        }
        for (Location source : sources) {
            for (Location one : Catalog.expand(source, options)) {
                Optional<String> what = Sources.typed(one, options);
                if (what.isPresent()) {
                    throw new IllegalArgumentException(one + " is " + what.get() + ", whose types are stored in it,"
                            + " and --dtype is the type of a file without a header; --cast " + floating()
                            + " converts floating-point numbers");
                }
            }
        }
    }

    private String floating() {
        boolean isFloating =
                StoreTypes.find(type) != null && StoreTypes.find(type).isFloat();
        return isFloating ? StoreTypes.find(type).toString() : "f16|bf16|f32|f64";
    }
}
