// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Field;
import dev.penstock.rows.RowField;
import dev.penstock.table.DType.Member;
import dev.penstock.table.DType.Scalar;
import dev.penstock.table.DType.Struct;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The type of one row of a table: an item, or an array of items.
///
/// Fields of records inside records are fields called `outer.inner`. Every column is an array of plain values
/// at any depth of nesting.
///
/// @param shape the dimensions of the array after the first one, which is the number of rows
public record RowType(DType item, List<Long> shape) {
    /// The name of the only field of a table of plain values.
    public static final String VALUE = "value";

    /// The limit on the length of all field names together. Fields of nested records repeat the outer name, so a
    /// long name could fill the heap.
    private static final long NAME_BYTES_MAX = 4 * TableFormat.TEXT_SIZE_MAX;

    public RowType {
        shape = List.copyOf(shape);
    }

    /// Rows of one item each.
    public static RowType of(DType item) {
        return new RowType(item, List.of());
    }

    /// Rows that hold these fields without gaps, in little-endian order. A single field named `value` gives a
    /// plain array.
    ///
    /// @throws IllegalArgumentException when a field is variable
    public static RowType of(List<Field> fields) {
        Field first = fields.getFirst();
        return fields.size() == 1 && first.name().equals(VALUE)
                ? new RowType(Scalar.of(first), first.shape())
                : of(DType.of(fields));
    }

    /// The size of one row in bytes.
    public long size() {
        return size(item.itemSize(), shape);
    }

    /// The same rows in little-endian order.
    public RowType littleEndian() {
        return new RowType(item.littleEndian(), shape);
    }

    /// The size of an array in bytes.
    ///
    /// @throws ArithmeticException when the size does not fit in 63 bits
    static long size(long itemSize, List<Long> shape) {
        long size = itemSize;
        for (long length : shape) {
            size = Math.multiplyExact(size, length);
        }
        return size;
    }

    /// The fields of a row as a record of a dataset.
    ///
    /// @throws IllegalArgumentException when two fields get the same name
    public List<Field> recordFields() {
        return typedFields().stream().map(typed -> typed.row().field()).toList();
    }

    /// The type of rows with only some of the fields, without gaps and little-endian. If all fields are chosen
    /// in their order, it is this type.
    ///
    /// @throws IllegalArgumentException when a field does not exist
    public RowType only(List<Field> chosen) {
        List<TypedField> all = typedFields();
        if (chosen.equals(recordFields())) {
            return this;
        }
        List<Member> members = new ArrayList<>();
        long offset = 0;
        for (Field field : chosen) {
            TypedField found = all.stream()
                    .filter(candidate -> candidate.row().field().equals(field))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no field " + field.name()));
            members.add(new Member(field.name(), null, offset, found.type().littleEndian(), field.shape()));
            offset += field.itemSize();
        }
        return of(new Struct(members, offset));
    }

    /// Whether a field holds dates or durations, which are integers with a unit.
    public boolean hasDates() {
        return typedFields().stream()
                .map(field -> field.type().kind())
                .anyMatch(kind -> kind == DType.Kind.DATETIME || kind == DType.Kind.TIMEDELTA);
    }

    /// The plain values of a row with their positions. A field of a nested record has both names, joined by a
    /// dot.
    ///
    /// @throws IllegalArgumentException when two fields get the same name
    List<RowField> fields() {
        return typedFields().stream().map(TypedField::row).toList();
    }

    /// A field and its type in the file.
    private record TypedField(RowField row, Scalar type) {
        static TypedField of(String name, Scalar type, long offset, List<RowField.Dimension> dimensions) {
            RowField row = RowField.of(name, type.elementType(), type.itemSize(), type.swapSize(), offset, dimensions);
            return new TypedField(row, type);
        }
    }

    private List<TypedField> typedFields() {
        if (nameBytes(item, 0) > NAME_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the full names of all nested fields have more than " + NAME_BYTES_MAX + " characters in total");
        }
        List<TypedField> fields = new ArrayList<>();
        addFields(fields, "", item, 0, RowField.dimensions(shape, item.itemSize()));
        Set<String> names = new HashSet<>();
        for (TypedField field : fields) {
            String name = field.row().field().name();
            if (!names.add(name)) {
                throw new IllegalArgumentException(
                        "two fields get the same name " + Literal.quote(Literal.shown(name)));
            }
        }
        return fields;
    }

    /// The total number of characters of all full names.
    private static long nameBytes(DType type, long outerSize) {
        long sum = outerSize;
        if (type instanceof Struct struct) {
            for (Member member : struct.members()) {
                sum += nameBytes(member.type(), outerSize + 1 + member.name().length());
            }
        }
        return sum;
    }

    private static void addFields(
            List<TypedField> fields, String name, DType type, long offset, List<RowField.Dimension> dimensions) {
        switch (type) {
            case Scalar scalar -> fields.add(TypedField.of(name.isEmpty() ? VALUE : name, scalar, offset, dimensions));
            case Struct struct -> {
                for (Member member : struct.members()) {
                    List<RowField.Dimension> inner = new ArrayList<>(dimensions);
                    inner.addAll(
                            RowField.dimensions(member.shape(), member.type().itemSize()));
                    String full = name.isEmpty() ? member.name() : name + "." + member.name();
                    addFields(fields, full, member.type(), offset + member.offset(), inner);
                }
            }
        }
    }

    /// The row type in NumPy's notation: `[('board', '<u8')]`, or `'<f4' (4, 4)`.
    @Override
    public String toString() {
        return item.descr() + (shape.isEmpty() ? "" : " " + Literal.tuple(shape));
    }
}
