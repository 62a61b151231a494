// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Opens the inputs of `store append`.
final class StoreInputs {
    private StoreInputs() {}

    /// An input and the name of its file.
    private record Part(String name, StoreInput input) {}

    /// Opens one input of whole records, or several inputs of one field each.
    ///
    /// @param texts  `FILE` or `FIELD=FILE`
    /// @param fields the fields of the store
    static StoreInput open(List<String> texts, List<StoreField> fields, StoreValueText.Bytes bytes) throws IOException {
        List<Part> parts = new ArrayList<>();
        Set<Integer> taken = new HashSet<>();
        try {
            for (String text : texts) {
                int position = position(text, fields);
                String file = position < 0 ? text : text.substring(text.indexOf('=') + 1);
                if (position < 0 && texts.size() > 1) {
                    throw new IllegalArgumentException(
                            "with several inputs, each needs a field name: write --input FIELD=FILE instead of " + text
                                    + "; the fields are " + names(fields));
                }
                if (position >= 0 && !taken.add(position)) {
                    throw new IllegalArgumentException(
                            "the field " + fields.get(position).name() + " has two inputs");
                }
                parts.add(new Part(file, open(Path.of(file), position, fields, bytes)));
            }
        } catch (Throwable e) {
            for (Part part : parts) {
                part.input().close();
            }
            throw e;
        }
        return parts.size() == 1 ? parts.getFirst().input() : new Joined(parts);
    }

    private static String names(List<StoreField> fields) {
        return String.join(", ", fields.stream().map(StoreField::name).toList());
    }

    /// The position of the field that an input names, or -1. A file name may contain `=` as well.
    private static int position(String text, List<StoreField> fields) {
        int sign = text.indexOf('=');
        if (sign < 0 || Files.exists(Path.of(text))) {
            return -1;
        }
        String name = text.substring(0, sign);
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("there is no field " + name + "; the fields are " + names(fields));
    }

    private static StoreInput open(Path file, int position, List<StoreField> fields, StoreValueText.Bytes bytes)
            throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        String name = file.toString();
        if (JsonLines.isName(name)) {
            return new StoreJsonInput(
                    file, position, fields.stream().map(StoreField::column).toList(), bytes);
        }
        if (name.endsWith(".csv")) {
            return new StoreCsvInput(file, position, fields, bytes);
        }
        boolean isDataset = !Files.isDirectory(file)
                || Catalog.format(file, Catalog.Options.DEFAULT).isPresent();
        if (isDataset) {
            return StoreDatasetInput.of(Catalog.open(file), position, fields);
        }
        return StoreFilesInput.of(file, position, fields);
    }

    /// Several inputs side by side, which must have the same number of records.
    private record Joined(List<Part> parts) implements StoreInput {
        @Override
        public boolean next(byte[][] values) throws IOException {
            boolean hasFirst = parts.getFirst().input().next(values);
            for (Part part : parts.subList(1, parts.size())) {
                if (part.input().next(values) != hasFirst) {
                    Part shorter = hasFirst ? part : parts.getFirst();
                    Part longer = hasFirst ? parts.getFirst() : part;
                    throw new BadInput(
                            shorter.name() + " has fewer records than " + longer.name()
                                    + "; all inputs must have the same number of records",
                            null);
                }
            }
            return hasFirst;
        }

        @Override
        public long total() {
            return parts.stream().mapToLong(part -> part.input().total()).max().orElse(0);
        }

        @Override
        public void close() throws IOException {
            for (Part part : parts) {
                part.input().close();
            }
        }
    }
}
