// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Text;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/// Parses `NAME[:dtype[:shape]][:compress]`.
final class StoreFieldText implements CommandLine.ITypeConverter<StoreField> {
    private static final String SCALAR = "scalar";

    @Override
    public StoreField convert(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(
                    "'" + Text.printable(text) + "' is not a field NAME[:dtype[:shape]][:compress]: " + e.getMessage());
        }
    }

    private static StoreField parse(String text) {
        List<String> parts = new ArrayList<>(Arrays.asList(text.split(":", -1)));
        StoreCompression compression = StoreCompression.RAW;
        if (parts.size() > 1 && isCompression(parts.getLast())) {
            compression = StoreCompression.of(parts.removeLast());
        }
        if (parts.size() > 3) {
            throw new IllegalArgumentException("'" + parts.getLast() + "' is not one of raw, flate, zstd and lz4");
        }
        String dtype = parts.size() > 1 ? StoreTypes.of(parts.get(1)).toString() : null;
        List<Long> shape = parts.size() > 2 ? shape(parts.get(2)) : null;
        return new StoreField(parts.getFirst(), "bytes".equals(dtype) ? null : dtype, shape, compression);
    }

    private static boolean isCompression(String word) {
        return Arrays.stream(StoreCompression.values())
                .anyMatch(compression -> compression.word().equals(word));
    }

    private static List<Long> shape(String text) {
        if (text.equals(SCALAR) || text.equals("()") || text.equals("[]")) {
            return List.of();
        }
        // A shape as NumPy or JSON writes it, with spaces, brackets and a comma at the end.
        String lengths = text.replaceAll("^\\((.*?),?\\)$", "$1").replaceAll("^\\[(.*)]$", "$1");
        List<Long> shape = new ArrayList<>();
        for (String length : lengths.split("[x,]", -1)) {
            try {
                shape.add(Long.parseLong(length.strip()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "'" + text + "' is not a shape; write lengths such as 28x28, or " + SCALAR, e);
            }
        }
        return shape;
    }
}
