// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.file.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What is noted about columns beside their types: by Hugging Face `datasets` in the metadata of a schema, and by
/// the Arrow schema that Parquet files carry.
record ColumnNotes(Map<String, Note> notes) {
    static final ColumnNotes NONE = new ColumnNotes(Map.of());

    /// A note about a column.
    ///
    /// @param isMedia whether it is an image or a sound: a struct of its bytes and its path
    /// @param shape   the shape of all values, or null
    /// @param classes the names of classes, in the order of their numbers, or null
    /// @param members the notes about the members of a struct
    record Note(boolean isMedia, List<Long> shape, List<String> classes, Map<String, Note> members) {
        static final Note NONE = new Note(false, null, null, Map.of());

        Note member(String name) {
            return members.getOrDefault(name, NONE);
        }
    }

    Note of(String column) {
        return notes.getOrDefault(column, Note.NONE);
    }

    /// These notes, and others about columns without one.
    ColumnNotes or(ColumnNotes others) {
        Map<String, Note> all = new HashMap<>(others.notes());
        all.putAll(notes);
        return new ColumnNotes(all);
    }

    /// The shapes of lists of one size.
    static ColumnNotes ofShapes(List<ColumnType> columns) {
        Map<String, Note> notes = new HashMap<>();
        for (ColumnType column : columns) {
            Note note = ofShape(column);
            if (note != Note.NONE) {
                notes.put(column.name(), note);
            }
        }
        return new ColumnNotes(notes);
    }

    private static Note ofShape(ColumnType type) {
        if (type.kind() == ColumnType.Kind.STRUCT) {
            Map<String, Note> members = new HashMap<>();
            type.children().forEach(member -> members.put(member.name(), ofShape(member)));
            return new Note(false, null, null, members);
        }
        List<Long> shape = new ArrayList<>();
        for (ColumnType at = type; at.kind() == ColumnType.Kind.FIXED_LIST; at = at.item()) {
            shape.add(at.size());
        }
        return shape.isEmpty() ? Note.NONE : new Note(false, shape, null, Map.of());
    }

    /// Reads the metadata that Hugging Face adds under the key `huggingface`. Metadata that is not understood is
    /// ignored, because the types of the columns are enough.
    static ColumnNotes ofHuggingFace(String metadata) {
        if (metadata == null) {
            return NONE;
        }
        try {
            Object parsed = Json.parse(metadata.getBytes(StandardCharsets.UTF_8));
            return parsed instanceof Map<?, ?> root && root.get("info") instanceof Map<?, ?> info
                    ? new ColumnNotes(notes(info.get("features")))
                    : NONE;
        } catch (IllegalArgumentException e) {
            return NONE;
        }
    }

    private static Map<String, Note> notes(Object features) {
        Map<String, Note> notes = new HashMap<>();
        if (features instanceof Map<?, ?> map) {
            map.forEach((name, feature) -> {
                if (feature instanceof Map<?, ?> one) {
                    notes.put((String) name, note(one));
                }
            });
        }
        return notes;
    }

    private static Note note(Map<?, ?> feature) {
        String kind = String.valueOf(feature.get("_type"));
        boolean isMedia = kind.equals("Image") || kind.equals("Audio");
        List<Long> shape = kind.startsWith("Array") ? wholes(feature.get("shape")) : length(kind, feature);
        Map<String, Note> members = feature.containsKey("_type") ? Map.of() : notes(feature);
        return new Note(isMedia, shape, texts(feature.get("names")), members);
    }

    /// The lengths of lists, and lists of lists, that are declared to have one.
    private static List<Long> length(String kind, Map<?, ?> feature) {
        boolean isList = kind.equals("Sequence") || kind.equals("List") || kind.equals("LargeList");
        if (!isList || !(feature.get("length") instanceof Long length) || length < 1) {
            return null;
        }
        List<Long> lengths = new ArrayList<>(List.of(length));
        if (feature.get("feature") instanceof Map<?, ?> item) {
            List<Long> inner = length(String.valueOf(item.get("_type")), item);
            lengths.addAll(inner == null ? List.of() : inner);
        }
        return lengths;
    }

    private static List<Long> wholes(Object json) {
        List<Long> wholes = new ArrayList<>();
        if (json instanceof List<?> list) {
            for (Object one : list) {
                if (!(one instanceof Long whole) || whole < 1) {
                    return null;
                }
                wholes.add(whole);
            }
        }
        return wholes.isEmpty() ? null : wholes;
    }

    private static List<String> texts(Object json) {
        return json instanceof List<?> list && list.stream().allMatch(String.class::isInstance)
                ? list.stream().map(String.class::cast).toList()
                : null;
    }
}
