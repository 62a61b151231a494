// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.JsonFields;
import dev.penstock.convert.TextRules;
import dev.penstock.convert.ValueText;
import dev.penstock.file.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Objects of `.json` files: a field `EXTENSION.KEY` for each key, with the types that JSON Lines would get.
final class JsonDecoder implements MemberDecoder {
    private final String extension;
    private final TextRules rules;
    private final JsonFields learned;
    private List<Field> fields;
    private Map<String, ValueText> texts;

    JsonDecoder(String extension, TextRules rules) {
        this.extension = extension;
        this.rules = rules;
        this.learned = new JsonFields(rules);
    }

    @Override
    public boolean isLearning() {
        return true;
    }

    @Override
    public void learn(byte[] content) throws BadMember {
        try {
            learned.see(Json.parseRecord(content));
        } catch (IllegalArgumentException e) {
            throw new BadMember(Reason.UNREADABLE, e.getMessage());
        }
    }

    @Override
    public List<Field> fields() {
        if (fields == null) {
            List<Field> found = new ArrayList<>();
            texts = new LinkedHashMap<>();
            for (Field field : learned.fields("." + extension)) {
                texts.put(field.name(), new ValueText(field, rules.bytes()));
                found.add(new Field(
                        extension + "." + field.name(),
                        field.type(),
                        field.elementSize(),
                        field.shape(),
                        field.isVariable()));
            }
            fields = List.copyOf(found);
        }
        return fields;
    }

    @Override
    public byte[][] decode(byte[] content) throws BadMember {
        byte[][] values = new byte[fields().size()][];
        try {
            if (!(Json.parseRecord(content) instanceof Map<?, ?> object)) {
                throw new BadMember(Reason.UNREADABLE, "the JSON is not an object");
            }
            int position = 0;
            for (Map.Entry<String, ValueText> entry : texts.entrySet()) {
                values[position++] = entry.getValue().ofJson(object.get(entry.getKey()));
            }
            return values;
        } catch (IllegalArgumentException | BadInput e) {
            throw new BadMember(Reason.UNREADABLE, e.getMessage());
        }
    }
}
