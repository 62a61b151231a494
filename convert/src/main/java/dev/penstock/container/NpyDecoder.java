// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.table.NumpyArray;
import java.util.List;

/// Arrays of `.npy` files. All have one type. If all have one shape, the field has it, too; otherwise the elements
/// of each array follow each other in a variable field, and `NAME.shape` has the shapes.
final class NpyDecoder implements MemberDecoder {
    private final String name;
    private Field first;
    private boolean isVariable;

    NpyDecoder(String name) {
        this.name = name;
    }

    @Override
    public boolean isLearning() {
        return true;
    }

    @Override
    public void learn(byte[] content) throws BadMember {
        Field field = array(content).field();
        if (first == null) {
            first = field;
        }
        requireType(field);
        isVariable |= !first.shape().equals(field.shape());
    }

    private NumpyArray array(byte[] content) throws BadMember {
        try {
            return NumpyArray.parse(name, content);
        } catch (DatasetException e) {
            throw new BadMember(e.reason(), e.what());
        }
    }

    private void requireType(Field field) throws BadMember {
        if (first.type() != field.type() || first.elementSize() != field.elementSize()) {
            throw new BadMember(
                    Reason.UNSUPPORTED_TYPE,
                    "the array has the type " + field.type() + ", but the first one has " + first.type());
        }
    }

    @Override
    public List<Field> fields() {
        if (first == null) {
            return List.of(Field.variable(name, ElementType.BYTES));
        }
        return isVariable
                ? List.of(
                        new Field(name, first.type(), first.elementSize(), List.of(), true),
                        Field.variable(name + ".shape", ElementType.I64))
                : List.of(first);
    }

    @Override
    public byte[][] decode(byte[] content) throws BadMember {
        NumpyArray array = array(content);
        requireType(array.field());
        if (isVariable) {
            return new byte[][] {array.elements(), Numbers.of(array.field().shape())};
        }
        if (!array.field().shape().equals(first.shape())) {
            throw new BadMember(Reason.SHARD_MISMATCH, "the array has another shape than in the first pass");
        }
        return new byte[][] {array.elements()};
    }
}
