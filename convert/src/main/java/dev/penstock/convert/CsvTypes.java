// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import de.siegmar.fastcsv.reader.CsvReader;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Guesses the fields of a CSV file by reading it once. The first line names the columns.
final class CsvTypes {
    private CsvTypes() {}

    static List<Field> guess(TextFile file, TextRules rules, BadLines bad) throws IOException {
        String name = file.name();
        try (CountingStream stream = file.open();
                CsvReader<CsvLine> reader = CsvLine.reader(file.text(stream), file.isTabbed(), bad.isSkipping())) {
            CsvLines lines = new CsvLines(name, reader, bad.unlisted());
            CsvLine first = lines.next();
            if (first == null) {
                throw new BadInput.Untyped(name + " is empty: its first line must name the columns, or give the type");
            }
            List<String> names = first.names();
            requireNames(name, names);
            List<String> elementless = new ArrayList<>(names);
            names.forEach(column -> elementless.add(whole(column)));
            rules.requireTyped(name, new LinkedHashSet<>(elementless));
            List<TypeGuess> guesses = new ArrayList<>();
            names.forEach(column -> guesses.add(new TypeGuess()));
            CsvLine line = lines.next();
            if (line == null) {
                throw new BadInput.Untyped(name + " has no rows to guess the types from: give the type");
            }
            while (line != null) {
                for (int i = 0; i < names.size(); i++) {
                    see(line.text(i), guesses.get(i));
                }
                line = lines.next();
            }
            return together(fields(name, names, guesses, rules));
        }
    }

    private static void see(String cell, TypeGuess guess) {
        guess.seeWidth(cell);
        if (cell.isBlank()) {
            guess.seeMissing();
            return;
        }
        TypeGuess.Kind kind = TypeGuess.kind(cell);
        switch (kind) {
            case WHOLE -> guess.seeWhole(Long.parseLong(cell.strip()));
            case UNSIGNED -> guess.seeUnsigned();
            default -> {}
        }
        if (!guess.see(kind)) {
            guess.seeText();
        }
    }

    private static List<Field> fields(String name, List<String> names, List<TypeGuess> guesses, TextRules rules) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            try {
                fields.add(field(name, names.get(i), guesses.get(i), rules));
            } catch (IllegalArgumentException e) {
                throw new BadInput(name + ", column " + Printable.of(names.get(i)) + ": " + e.getMessage(), e);
            }
        }
        return fields;
    }

    private static Field field(String source, String name, TypeGuess guess, TextRules rules) {
        String typedName = rules.types().containsKey(name) ? name : whole(name);
        if (rules.types().containsKey(typedName)) {
            return renamed(rules.typed(source, typedName, guess), name);
        }
        ElementType type = guess.type(rules.hasMissing());
        if (type != ElementType.UTF8) {
            return Field.fixed(name, type);
        }
        return guess.text(source, name, rules.isTextFixed());
    }

    /// The name of the field of which a column `x[0]` has the elements.
    private static String whole(String column) {
        return column.replaceFirst("\\[\\d+]$", "");
    }

    private static Field renamed(Field field, String name) {
        return new Field(name, field.type(), field.elementSize(), field.shape(), field.isVariable());
    }

    /// Combines adjacent columns `x[0]`, `x[1]`, ... of one type to a field `x` with a shape, which is how an
    /// export names them.
    private static List<Field> together(List<Field> columns) {
        List<Field> fields = new ArrayList<>();
        int next = 0;
        while (next < columns.size()) {
            Field first = columns.get(next);
            String name = first.name().endsWith("[0]") && !first.isVariable()
                    ? first.name().substring(0, first.name().length() - 3)
                    : "";
            int count = 1;
            while (!name.isEmpty()
                    && next + count < columns.size()
                    && columns.get(next + count).equals(named(first, name + "[" + count + "]"))) {
                count++;
            }
            fields.add(count == 1 ? first : shaped(first, name, count));
            next += count;
        }
        return fields;
    }

    private static Field named(Field field, String name) {
        return new Field(name, field.type(), field.elementSize(), field.shape(), false);
    }

    private static Field shaped(Field element, String name, long count) {
        return new Field(name, element.type(), element.elementSize(), List.of(count), false);
    }

    private static void requireNames(String source, List<String> names) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (name.isBlank() || !seen.add(name)) {
                throw new BadInput.Untyped(source
                        + ": the first line must give every column a different name; if it has no names, give the"
                        + " type");
            }
        }
    }
}
