// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.table.NumpyArray;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A field as a file of a sample.
///
/// | field                                          | file                                                           |
/// |------------------------------------------------|----------------------------------------------------------------|
/// | bytes of any length                            | `NAME`, as they are                                            |
/// | text                                           | `NAME` if that is an extension of text or JSON, or `NAME.txt`  |
/// | one `int64` called `cls`, `index`, `id` or so  | `NAME`, in digits                                              |
/// | other numbers and arrays                       | `NAME.npy`                                                     |
///
/// Readers turn extensions to lower case, so the names do not differ in case alone.
///
/// @param field     the field in the archive; fixed text loses its padding
/// @param extension what follows the key and a dot; empty for the key itself
record SampleField(Field field, String extension) {
    static List<SampleField> of(List<Field> fields) {
        List<SampleField> all = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Field field : fields) {
            SampleField one = of(field);
            if (one.extension.contains("/") || one.extension.startsWith(".") || !names.add(one.extension)) {
                throw new IllegalArgumentException("field " + field.name()
                        + " cannot be the name of a file of a sample: it has a slash or a dot at its start, or differs"
                        + " from another field in case only; choose other fields");
            }
            all.add(one);
        }
        if (all.stream().allMatch(SampleField::isKey)) {
            throw new IllegalArgumentException("a sample needs a file, but there is no field apart from __key__");
        }
        return all;
    }

    private static SampleField of(Field field) {
        String name = field.name().toLowerCase(Locale.ROOT);
        String last = name.substring(name.lastIndexOf('.') + 1);
        boolean isText = field.type() == ElementType.UTF8 || field.type() == ElementType.UTF32;
        if (isText && field.shape().isEmpty()) {
            Field text = Field.variable(field.name(), ElementType.UTF8);
            boolean isNamed = MemberDecoder.TEXT.contains(last) || MemberDecoder.JSON.contains(last);
            return field.name().equals(SampleShape.KEY.name())
                    ? new SampleField(text, "")
                    : new SampleField(text, isNamed ? name : name + ".txt");
        } else if (field.type() == ElementType.BYTES && field.isVariable() && field.itemSize() == 1) {
            return new SampleField(field, name);
        } else if (field.type() == ElementType.I64
                && !field.isVariable()
                && field.shape().isEmpty()
                && MemberDecoder.CLASS.contains(last)) {
            return new SampleField(field, name);
        }
        if (field.type() == ElementType.BF16
                || field.type().isText()
                || field.isVariable() && !field.shape().isEmpty()) {
            throw new IllegalArgumentException("field " + field.name() + " of " + field.type() + " with the shape "
                    + field.shape() + " has no form in a WebDataset; choose other fields, or another type");
        }
        return new SampleField(field, name + ".npy");
    }

    boolean isKey() {
        return extension.isEmpty();
    }

    private boolean isDigits() {
        return !field.type().isText() && !extension.endsWith(".npy");
    }

    /// The content of the file for a value.
    byte[] content(byte[] value) {
        if (field.type().isText()) {
            return value;
        } else if (isDigits()) {
            return Long.toString(Numbers.i64(value, 0)).getBytes(StandardCharsets.US_ASCII);
        }
        List<Long> shape = field.isVariable() ? List.of(value.length / field.elementSize()) : field.shape();
        return NumpyArray.content(field, shape, value);
    }

    /// Reads such files.
    MemberDecoder decoder() {
        return field.type().isText()
                ? new MemberDecoder.Whole(field)
                : isDigits() ? new MemberDecoder.Number(field) : new Array(field);
    }

    /// An array of a known type.
    private record Array(Field field) implements MemberDecoder {
        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public byte[][] decode(byte[] content) throws BadMember {
            NumpyArray array = NumpyArray.parse(field.name(), content);
            if (array.field().type() != field.type()) {
                throw new BadMember(
                        Reason.UNSUPPORTED_TYPE,
                        "the array has the type " + array.field().type());
            }
            return new byte[][] {array.elements()};
        }
    }
}
