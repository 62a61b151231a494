// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// How one value of a sample of MDS or LitData becomes values of fields.
interface Leaf {
    /// The fields. An array whose shape varies has a second one, `NAME.shape`.
    List<Field> fields();

    /// Sets the values of the fields.
    void set(byte[] content, byte[][] values, int position) throws BadMember;

    /// Numbers of a fixed size, bytes, or text.
    record Plain(Field field) implements Leaf {
        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public void set(byte[] content, byte[][] values, int position) throws BadMember {
            boolean isSized =
                    field.isVariable() ? content.length % field.itemSize() == 0 : content.length == field.itemSize();
            if (!isSized) {
                throw new BadMember(
                        Reason.COUNT_MISMATCH,
                        "field " + field.name() + " has " + content.length + " bytes, which is no value of "
                                + field.type());
            }
            if (field.type() == ElementType.UTF8 && TarHeader.utf8(content) == null) {
                throw new BadMember(Reason.NOT_UTF8, "field " + field.name() + " is not UTF-8");
            }
            values[position] = content;
        }
    }

    /// A number in decimal digits.
    record Digits(Field field) implements Leaf {
        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public void set(byte[] content, byte[][] values, int position) throws BadMember {
            String text = new String(content, StandardCharsets.ISO_8859_1);
            try {
                values[position] = Numbers.of(
                        field.type() == ElementType.F64
                                ? Double.doubleToRawLongBits(number(text))
                                : Long.parseLong(text));
            } catch (NumberFormatException e) {
                throw new BadMember(
                        Reason.UNREADABLE,
                        "field " + field.name() + ": '" + text.substring(0, Math.min(40, text.length()))
                                + "' is not a number of " + field.type());
            }
        }

        /// As Python writes it.
        private static double number(String text) {
            return switch (text) {
                case "nan" -> Double.NaN;
                case "inf" -> Double.POSITIVE_INFINITY;
                case "-inf" -> Double.NEGATIVE_INFINITY;
                default -> Double.parseDouble(text);
            };
        }
    }

    /// Reads type and shape in front of the elements of an array.
    @FunctionalInterface
    interface HeadReader {
        ArrayHead read(byte[] content) throws BadMember;
    }

    /// An array with its type or shape in front of it.
    record Shaped(String name, ElementType type, HeadReader reader) implements Leaf {
        @Override
        public List<Field> fields() {
            return List.of(Field.variable(name, type), Field.variable(name + ".shape", ElementType.I64));
        }

        @Override
        public void set(byte[] content, byte[][] values, int position) throws BadMember {
            ArrayHead head = reader.read(content);
            if (head.type() != type) {
                throw new BadMember(
                        Reason.UNSUPPORTED_TYPE,
                        "field " + name + " is an array of " + head.type() + ", but the first one is of " + type);
            }
            values[position] = head.elements();
            values[position + 1] = Numbers.of(head.shape());
        }
    }
}
