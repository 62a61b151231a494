// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// The type of one item of a NumPy array: a plain value, or a record of named members.
public sealed interface DType {
    /// The largest size of an item in bytes, including padding; NumPy has the same limit.
    long ITEM_SIZE_MAX = Integer.MAX_VALUE;

    /// The size of one item in bytes.
    long itemSize();

    /// The type as written in a NumPy header.
    String descr();

    /// The same type in little-endian order.
    DType littleEndian();

    /// Parses a type as written in Python: `<f4`, `float32`, `[('board', '<u8'), ('move', '|u1')]`.
    ///
    /// @throws IllegalArgumentException when the text is not a type
    static DType parse(String text) {
        String trimmed = text.strip();
        boolean isLiteral = trimmed.startsWith("[") || trimmed.startsWith("'") || trimmed.startsWith("\"");
        try {
            return isLiteral ? DTypeParser.parse(LiteralParser.parse(trimmed)) : DTypeParser.scalar(trimmed);
        } catch (BadLiteral e) {
            throw new IllegalArgumentException(
                    "invalid type: " + e.getMessage() + " (character " + e.position() + " of " + Literal.shown(trimmed)
                            + ")",
                    e);
        }
    }

    /// The type of rows that hold these fields without gaps.
    ///
    /// @throws IllegalArgumentException when a field is variable
    static DType of(List<Field> fields) {
        List<Member> members = new ArrayList<>();
        long offset = 0;
        for (Field field : fields) {
            members.add(new Member(field.name(), null, offset, Scalar.of(field), field.shape()));
            offset = Math.addExact(offset, field.itemSize());
        }
        return new Struct(members, offset);
    }

    /// The kinds of plain values, with their NumPy letters.
    enum Kind {
        BOOL('b'),
        INT('i'),
        UINT('u'),
        FLOAT('f'),
        COMPLEX('c'),
        /// Byte text, padded with zeros.
        BYTES('S'),
        /// Text of four-byte code points, padded with zeros.
        TEXT('U'),
        VOID('V'),
        DATETIME('M'),
        TIMEDELTA('m'),
        /// bfloat16, which NumPy itself does not know; its extension `ml_dtypes` declares it as `<V2`.
        BFLOAT('V');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    /// A plain value.
    ///
    /// @param isBigEndian whether the most significant byte comes first
    /// @param unit        the unit of a date or duration, such as `[ns]`; otherwise empty
    record Scalar(Kind kind, boolean isBigEndian, long itemSize, String unit) implements DType {
        private static final long CODE_POINT_SIZE = 4;

        public Scalar {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(unit, "unit");
        }

        /// The type of the elements of a field.
        static Scalar of(Field field) {
            if (field.isVariable()) {
                throw new IllegalArgumentException(
                        "field " + field.name() + " is variable, but the rows of a table have a fixed size");
            }
            Kind kind = switch (field.type()) {
                case BOOL -> Kind.BOOL;
                case I8, I16, I32, I64 -> Kind.INT;
                case U8, U16, U32, U64 -> Kind.UINT;
                case F16, F32, F64 -> Kind.FLOAT;
                case BF16 -> Kind.BFLOAT;
                case C64, C128 -> Kind.COMPLEX;
                case BYTES -> Kind.VOID;
                case UTF8 -> Kind.BYTES;
                case UTF32 -> Kind.TEXT;
            };
            return new Scalar(kind, false, field.elementSize(), "");
        }

        @Override
        public String descr() {
            return Literal.quote(text());
        }

        /// The type without quotes: `<f4`.
        public String text() {
            boolean hasOrder = kind == Kind.TEXT || kind == Kind.BFLOAT || (swapSize(itemSize) > 1 && !isOpaque());
            String order = !hasOrder ? "|" : isBigEndian ? ">" : "<";
            long size = kind == Kind.TEXT ? itemSize / CODE_POINT_SIZE : itemSize;
            return order + kind.letter + size + unit;
        }

        @Override
        public DType littleEndian() {
            return new Scalar(kind, false, itemSize, unit);
        }

        /// The element type that readers see. Dates and durations are their numbers. Floats wider than eight bytes
        /// differ between machines, so they are bytes.
        public ElementType elementType() {
            return switch (kind) {
                case BOOL -> ElementType.BOOL;
                case INT, DATETIME, TIMEDELTA -> sized("I");
                case UINT -> sized("U");
                case FLOAT -> itemSize > 8 ? ElementType.BYTES : sized("F");
                case COMPLEX -> itemSize > 16 ? ElementType.BYTES : sized("C");
                case BYTES -> ElementType.UTF8;
                case TEXT -> ElementType.UTF32;
                case VOID -> ElementType.BYTES;
                case BFLOAT -> ElementType.BF16;
            };
        }

        private ElementType sized(String letter) {
            return ElementType.valueOf(letter + 8 * itemSize);
        }

        /// The size of the words to byte-swap to get little-endian values, or 1 when no swap is needed.
        long swapSize() {
            return isBigEndian ? swapSize(itemSize) : 1;
        }

        private long swapSize(long size) {
            return switch (kind) {
                case BOOL, BYTES, VOID -> 1;
                case TEXT -> CODE_POINT_SIZE;
                case COMPLEX -> size / 2;
                default -> size;
            };
        }

        private boolean isOpaque() {
            return kind == Kind.BYTES || kind == Kind.VOID;
        }
    }

    /// A record.
    record Struct(List<Member> members, long itemSize) implements DType {
        public Struct {
            members = List.copyOf(members);
            Set<String> names = new HashSet<>();
            for (Member member : members) {
                if (!names.add(member.name())) {
                    throw new IllegalArgumentException(
                            "two fields are named " + Literal.quote(Literal.shown(member.name())));
                }
            }
        }

        /// Writes gaps as unnamed padding fields, as NumPy does.
        @Override
        public String descr() {
            List<String> parts = new ArrayList<>();
            long end = 0;
            for (Member member : members) {
                addFiller(parts, member.offset() - end);
                parts.add(member.descr());
                end = member.offset() + member.size();
            }
            addFiller(parts, itemSize - end);
            return "[" + String.join(", ", parts) + "]";
        }

        private static void addFiller(List<String> parts, long size) {
            if (size > 0) {
                parts.add("('', '|V" + size + "')");
            }
        }

        @Override
        public DType littleEndian() {
            return new Struct(members.stream().map(Member::littleEndian).toList(), itemSize);
        }
    }

    /// A named member of a record.
    ///
    /// @param title  a second name, or null
    /// @param offset the offset in the record, in bytes
    /// @param shape  the dimensions, outermost first; empty for a single item
    record Member(String name, String title, long offset, DType type, List<Long> shape) {
        public Member {
            shape = List.copyOf(shape);
        }

        /// The size of all items in bytes.
        long size() {
            return RowType.size(type.itemSize(), shape);
        }

        private String descr() {
            String names =
                    title == null ? Literal.quote(name) : "(" + Literal.quote(title) + ", " + Literal.quote(name) + ")";
            return "(" + names + ", " + type.descr() + (shape.isEmpty() ? "" : ", " + Literal.tuple(shape)) + ")";
        }

        private Member littleEndian() {
            return new Member(name, title, offset, type.littleEndian(), shape);
        }
    }
}
