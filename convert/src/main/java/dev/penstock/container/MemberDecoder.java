// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.convert.TextRules;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/// Turns the content of the files with one extension into values of fields.
///
/// | decoded | extensions                                | becomes                                            |
/// |---------|-------------------------------------------|----------------------------------------------------|
/// | `txt`   | `txt`, `text`, `transcript`               | text                                               |
/// | `cls`   | `cls`, `cls2`, `class`, `index`, `inx`, `id`, `count` | a whole number of 64 bits              |
/// | `json`  | `json`, `jsn`                             | a field `json.KEY` for each key of the objects     |
/// | `npy`   | `npy`                                     | an array; variable if the shapes differ            |
///
/// An extension with several dots, such as `left.json`, counts by its last part. What is not decoded stays bytes.
interface MemberDecoder {
    Set<String> TEXT = Set.of("txt", "text", "transcript");
    Set<String> CLASS = Set.of("cls", "cls2", "class", "index", "inx", "id", "count");
    Set<String> JSON = Set.of("json", "jsn");

    /// Decodes everything that can be decoded.
    String ALL = "all";

    /// The names in the options.
    Set<String> KNOWN = Set.of("txt", "cls", "json", "npy", ALL);

    static MemberDecoder of(String extension, Set<String> decoded, TextRules rules) {
        String last = extension.substring(extension.lastIndexOf('.') + 1);
        if (isDecoded("txt", TEXT, last, decoded)) {
            return new Whole(Field.variable(extension, ElementType.UTF8));
        } else if (isDecoded("cls", CLASS, last, decoded)) {
            return new Number(Field.fixed(extension, ElementType.I64));
        } else if (isDecoded("json", JSON, last, decoded)) {
            return new JsonDecoder(extension, rules);
        } else if (isDecoded("npy", Set.of("npy"), last, decoded)) {
            return new NpyDecoder(extension);
        }
        return new Whole(Field.variable(extension, ElementType.BYTES));
    }

    private static boolean isDecoded(String word, Set<String> extensions, String extension, Set<String> decoded) {
        return extensions.contains(extension) && (decoded.contains(word) || decoded.contains(ALL));
    }

    /// Whether the fields follow from the content, which [#learn] has to see first.
    default boolean isLearning() {
        return false;
    }

    /// Sees the content of a file in the first pass.
    default void learn(byte[] content) throws BadMember {}

    /// The fields, after all content was seen.
    List<Field> fields();

    /// The values of the fields for the content of a file; null for a missing value.
    byte[][] decode(byte[] content) throws BadMember;

    /// The content as it is, or text.
    record Whole(Field field) implements MemberDecoder {
        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public byte[][] decode(byte[] content) throws BadMember {
            if (field.type() == ElementType.UTF8 && TarHeader.utf8(content) == null) {
                throw new BadMember(Reason.NOT_UTF8, "the text is not UTF-8");
            }
            return new byte[][] {content};
        }
    }

    /// A whole number in text.
    record Number(Field field) implements MemberDecoder {
        private static final int SHOWN_MAX = 40;

        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public byte[][] decode(byte[] content) throws BadMember {
            String text = new String(content, StandardCharsets.ISO_8859_1).strip();
            try {
                byte[] value = new byte[Long.BYTES];
                ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).putLong(Long.parseLong(text));
                return new byte[][] {value};
            } catch (NumberFormatException e) {
                String shown = text.substring(0, Math.min(SHOWN_MAX, text.length()));
                throw new BadMember(Reason.UNREADABLE, "'" + shown + "' is not a whole number of 64 bits");
            }
        }
    }
}
