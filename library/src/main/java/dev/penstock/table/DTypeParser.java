// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.table.DType.Kind;
import dev.penstock.table.DType.Member;
import dev.penstock.table.DType.Scalar;
import dev.penstock.table.DType.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Converts the literal that describes a type to a type.
final class DTypeParser {
    /// Byte order, letter, size and unit.
    private static final Pattern CODE = Pattern.compile("([<>=|]?)([biufcSUVMmaO])(\\d{0,10})(\\[\\w{0,20}\\])?");

    /// The unit of dates and durations: a count and a unit.
    private static final Pattern UNIT = Pattern.compile("\\[(\\d{0,9})(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\\]");

    private static final long CODE_POINT_SIZE = 4;

    /// Type names that NumPy accepts in addition to its codes: names, and the letters of C types.
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("bool", "b1"),
            Map.entry("?", "b1"),
            Map.entry("b", "i1"),
            Map.entry("B", "u1"),
            Map.entry("h", "i2"),
            Map.entry("H", "u2"),
            Map.entry("i", "i4"),
            Map.entry("I", "u4"),
            Map.entry("l", "i8"),
            Map.entry("L", "u8"),
            Map.entry("q", "i8"),
            Map.entry("Q", "u8"),
            Map.entry("e", "f2"),
            Map.entry("f", "f4"),
            Map.entry("d", "f8"),
            Map.entry("F", "c8"),
            Map.entry("D", "c16"),
            Map.entry("int8", "i1"),
            Map.entry("int16", "i2"),
            Map.entry("int32", "i4"),
            Map.entry("int64", "i8"),
            Map.entry("int", "i8"),
            Map.entry("uint", "u8"),
            Map.entry("uint8", "u1"),
            Map.entry("uint16", "u2"),
            Map.entry("uint32", "u4"),
            Map.entry("uint64", "u8"),
            Map.entry("float16", "f2"),
            Map.entry("float32", "f4"),
            Map.entry("float64", "f8"),
            Map.entry("float", "f8"),
            Map.entry("half", "f2"),
            Map.entry("single", "f4"),
            Map.entry("double", "f8"),
            Map.entry("complex64", "c8"),
            Map.entry("complex128", "c16"),
            Map.entry("complex", "c16"));

    private static final Map<Kind, Set<Long>> SIZES = Map.of(
            Kind.BOOL, Set.of(1L),
            Kind.INT, Set.of(1L, 2L, 4L, 8L),
            Kind.UINT, Set.of(1L, 2L, 4L, 8L),
            Kind.FLOAT, Set.of(2L, 4L, 8L, 12L, 16L),
            Kind.COMPLEX, Set.of(8L, 16L, 24L, 32L),
            Kind.DATETIME, Set.of(8L),
            Kind.TIMEDELTA, Set.of(8L));

    private DTypeParser() {}

    /// A valid type that cannot be read, because its values are Python objects.
    static final class ObjectType extends IllegalArgumentException {
        ObjectType(String text) {
            super("values of type " + text + " are Python objects, which are stored as a pickle; "
                    + "reading a pickle runs code, so it is refused: save the array with a plain dtype");
        }
    }

    /// @throws ObjectType               when values are Python objects
    /// @throws IllegalArgumentException when the description is inconsistent
    static DType parse(Literal literal) throws BadLiteral {
        return switch (literal) {
            case Literal.Text(String text) -> scalar(text);
            case Literal.Items(List<Literal> values, boolean isTuple) when !isTuple -> struct(values);
            default -> throw new BadLiteral(0, "a type must be a string or a list of fields");
        };
    }

    static Scalar scalar(String text) throws BadLiteral {
        if (text.equals("bfloat16")) {
            return new Scalar(Kind.BFLOAT, false, 2, "");
        }
        if (text.equals("object")) {
            throw new ObjectType("object");
        }
        boolean hasOrder = !text.isEmpty() && "<>=|".indexOf(text.charAt(0)) >= 0;
        String order = hasOrder ? text.substring(0, 1) : "";
        String code = NAMES.get(text.substring(order.length()));
        Matcher matcher = CODE.matcher(code == null ? text : order + code);
        if (!matcher.matches()) {
            throw noType(text);
        }
        String unit = unit(text, matcher.group(4) == null ? "" : matcher.group(4));
        return scalar(text, matcher.group(1), matcher.group(2).charAt(0), matcher.group(3), unit);
    }

    private static BadLiteral noType(String text) {
        return new BadLiteral(0, "unknown type " + Literal.quote(Literal.shown(text)));
    }

    /// The unit as written by NumPy.
    private static String unit(String text, String unit) throws BadLiteral {
        if (unit.isEmpty() || unit.equals("[generic]")) {
            return "";
        }
        Matcher matcher = UNIT.matcher(unit);
        if (!matcher.matches()) {
            throw noType(text);
        }
        long number = matcher.group(1).isEmpty() ? 1 : Long.parseLong(matcher.group(1));
        return "[" + (number == 1 ? "" : number) + matcher.group(2) + "]";
    }

    private static Scalar scalar(String text, String order, char letter, String digits, String unit) throws BadLiteral {
        if (letter == 'O') {
            throw new ObjectType(text);
        }
        boolean isBigEndian = order.equals(">");
        long size = digits.isEmpty() ? 0 : Long.parseLong(digits);
        Kind kind = kind(letter);
        if (kind == Kind.VOID && order.equals("<") && size == 2) {
            return new Scalar(Kind.BFLOAT, false, size, "");
        }
        long itemSize = kind == Kind.TEXT ? size * CODE_POINT_SIZE : size;
        boolean isSized = SIZES.getOrDefault(kind, Set.of(itemSize)).contains(itemSize);
        boolean hasUnit = kind == Kind.DATETIME || kind == Kind.TIMEDELTA;
        if (!isSized || itemSize > DType.ITEM_SIZE_MAX || (!hasUnit && !unit.isEmpty())) {
            throw noType(text);
        }
        boolean hasOrder = kind == Kind.TEXT || (itemSize > 1 && kind != Kind.BYTES && kind != Kind.VOID);
        return new Scalar(kind, isBigEndian && hasOrder, itemSize, unit);
    }

    private static Kind kind(char letter) {
        return switch (letter) {
            case 'b' -> Kind.BOOL;
            case 'i' -> Kind.INT;
            case 'u' -> Kind.UINT;
            case 'f' -> Kind.FLOAT;
            case 'c' -> Kind.COMPLEX;
            case 'S', 'a' -> Kind.BYTES;
            case 'U' -> Kind.TEXT;
            case 'M' -> Kind.DATETIME;
            case 'm' -> Kind.TIMEDELTA;
            default -> Kind.VOID;
        };
    }

    private static Struct struct(List<Literal> entries) throws BadLiteral {
        List<Member> members = new ArrayList<>();
        long offset = 0;
        for (Literal entry : entries) {
            Member member = member(entry, members.size(), offset);
            if (!isFiller(member)) {
                members.add(member.name().isEmpty() ? named(member, "f" + members.size()) : member);
            }
            offset = Math.addExact(offset, member.size());
        }
        if (offset > DType.ITEM_SIZE_MAX) {
            throw new IllegalArgumentException("a record of " + offset + " bytes is larger than NumPy allows");
        }
        if (members.isEmpty()) {
            throw new BadLiteral(0, "a record needs at least one field");
        }
        return new Struct(members, offset);
    }

    private static Member named(Member member, String name) {
        return new Member(name, member.title(), member.offset(), member.type(), member.shape());
    }

    /// NumPy writes gaps between fields as unnamed bytes.
    private static boolean isFiller(Member member) {
        return member.name().isEmpty()
                && member.type() instanceof Scalar scalar
                && scalar.kind() == Kind.VOID
                && member.shape().isEmpty();
    }

    private static Member member(Literal entry, int index, long offset) throws BadLiteral {
        if (!(entry instanceof Literal.Items(List<Literal> parts, boolean isTuple))
                || !isTuple
                || parts.size() < 2
                || parts.size() > 3) {
            throw new BadLiteral(0, "field " + index + " is not of the form (name, type) or (name, type, shape)");
        }
        String title = null;
        Literal name = parts.getFirst();
        if (name instanceof Literal.Items(List<Literal> names, boolean isPair) && isPair && names.size() == 2) {
            title = text(names.getFirst(), index);
            name = names.getLast();
        }
        DType type;
        List<Long> shape = new ArrayList<>(parts.size() == 3 ? shape(parts.get(2)) : List.of());
        if (parts.get(1) instanceof Literal.Items(List<Literal> sub, boolean isPair) && isPair && sub.size() == 2) {
            type = parse(sub.getFirst());
            shape.addAll(shape(sub.getLast()));
        } else {
            type = parse(parts.get(1));
        }
        return new Member(text(name, index), title, offset, type, shape);
    }

    private static String text(Literal literal, int index) throws BadLiteral {
        if (literal instanceof Literal.Text(String text)) {
            return text;
        }
        throw new BadLiteral(0, "the name of field " + index + " is not a string");
    }

    /// Parses a shape: a tuple of dimensions, or one number.
    private static List<Long> shape(Literal literal) throws BadLiteral {
        return literal instanceof Literal.Number(long length) ? List.of(dimension(length)) : dimensions(literal);
    }

    /// Parses a tuple of dimensions.
    static List<Long> dimensions(Literal literal) throws BadLiteral {
        if (!(literal instanceof Literal.Items(List<Literal> values, boolean isTuple)) || !isTuple) {
            throw new BadLiteral(0, "a shape must be a tuple of integers");
        }
        List<Long> dimensions = new ArrayList<>();
        for (Literal value : values) {
            if (!(value instanceof Literal.Number(long length))) {
                throw new BadLiteral(0, "a shape must be a tuple of integers");
            }
            dimensions.add(dimension(length));
        }
        return dimensions;
    }

    private static long dimension(long length) throws BadLiteral {
        if (length < 0) {
            throw new BadLiteral(0, "a shape has the negative length " + length);
        }
        return length;
    }
}
