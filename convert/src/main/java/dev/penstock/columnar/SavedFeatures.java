// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Describes fields as the features of Hugging Face `datasets`. Arrays are lists with a length.
final class SavedFeatures {
    private SavedFeatures() {}

    static Map<String, Object> of(List<Field> fields) {
        Map<String, Object> features = new LinkedHashMap<>();
        fields.forEach(field -> features.put(field.name(), feature(field)));
        return features;
    }

    private static Map<String, Object> feature(Field field) {
        Map<String, Object> feature = new LinkedHashMap<>();
        feature.put("dtype", dtype(field.type()));
        feature.put("_type", "Value");
        for (long length : field.shape().reversed()) {
            feature = list(feature, length);
        }
        return field.isVariable() && !field.type().isText() ? list(feature, -1) : feature;
    }

    private static Map<String, Object> list(Map<String, Object> item, long length) {
        Map<String, Object> list = new LinkedHashMap<>();
        list.put("feature", item);
        list.put("length", length);
        list.put("_type", "Sequence");
        return list;
    }

    private static String dtype(ElementType type) {
        return switch (type) {
            case BOOL -> "bool";
            case I8, I16, I32, I64 -> "int" + type.size() * Byte.SIZE;
            case U8, U16, U32, U64 -> "uint" + type.size() * Byte.SIZE;
            case F16, F32, F64 -> "float" + type.size() * Byte.SIZE;
            case UTF8 -> "string";
            case BYTES -> "binary";
            default -> throw new IllegalArgumentException("Hugging Face datasets have no type " + type);
        };
    }
}
