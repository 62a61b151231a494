// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The records of a source with the names and types of declared fields. Numbers are converted to a type that holds
/// all of theirs, and text of NumPy loses its padding.
///
/// @param numbers the fields after each conversion of numbers, the last ones with the types of the declared fields
/// @param fields  the fields of the result
record FittedRecords(RecordSource source, List<List<Field>> numbers, List<Field> fields) implements RecordSource {
    /// Takes ownership of the source, and closes it if it does not fit.
    ///
    /// @param declared   the fields of the target
    /// @param isOneField whether the source has the values of the only declared field, under any name
    /// @throws IllegalArgumentException when a field of the source does not fit
    static RecordSource of(RecordSource source, List<Field> declared, boolean isOneField) throws IOException {
        try {
            if (isOneField && source.fields().size() != 1) {
                throw new IllegalArgumentException(
                        source.name() + " has " + source.fields().size() + " fields, but exactly one is needed for "
                                + declared.getFirst().name());
            }
            List<Field> targets = new ArrayList<>();
            for (Field field : source.fields()) {
                targets.add(target(source, field, declared, isOneField));
            }
            return source.fields().equals(targets)
                    ? source
                    : new FittedRecords(source, numbers(source, targets), targets);
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    private static Field target(RecordSource source, Field field, List<Field> declared, boolean isOneField) {
        boolean isOnly = isOneField || source.fields().size() == 1 && declared.size() == 1;
        Field target = declared.stream()
                .filter(candidate -> isOnly || candidate.name().equals(field.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(source.name() + " has a field " + field.name()
                        + ", but the target has the fields " + RecordChoice.names(declared)));
        requireFitting(source, field, target);
        boolean isTextAsBytes = target.type() == ElementType.BYTES && field.type() == ElementType.UTF32;
        return isTextAsBytes && target.isVariable() ? Field.variable(target.name(), ElementType.UTF8) : target;
    }

    /// Values keep their type, or get one that holds all values of theirs.
    private static void requireFitting(RecordSource source, Field field, Field target) {
        boolean isOfShape =
                target.isVariable() || (!field.isVariable() && field.shape().equals(target.shape()));
        boolean isText = target.type() == ElementType.UTF8 && field.type().isText();
        boolean isBytes = target.type() == ElementType.BYTES && target.isVariable();
        if (!isBytes && !(isOfShape && (isText || target.type().holds(field.type())))) {
            throw new IllegalArgumentException(source.name() + " has values of " + described(field)
                    + ", but field " + target.name() + " of the target has values of " + described(target)
                    + "; numbers are converted only to a type that holds all of theirs, as int32 to int64");
        }
    }

    private static String described(Field field) {
        return field.type() + (field.isVariable() ? ", variable" : " of shape " + field.shape());
    }

    /// One conversion for each type of numbers, because a conversion has one type.
    private static List<List<Field>> numbers(RecordSource source, List<Field> targets) {
        List<List<Field>> steps = new ArrayList<>();
        List<Field> fields = source.fields();
        Set<ElementType> types = new LinkedHashSet<>();
        for (int i = 0; i < fields.size(); i++) {
            if (isNumberChanged(fields.get(i), targets.get(i))) {
                types.add(targets.get(i).type());
            }
        }
        for (ElementType type : types) {
            List<Field> next = new ArrayList<>();
            for (int i = 0; i < fields.size(); i++) {
                Field field = fields.get(i);
                boolean isChanged = targets.get(i).type() == type && isNumberChanged(field, targets.get(i));
                next.add(
                        isChanged
                                ? new Field(field.name(), type, type.size(), field.shape(), field.isVariable())
                                : field);
            }
            steps.add(next);
            fields = next;
        }
        return steps;
    }

    private static boolean isNumberChanged(Field field, Field target) {
        return !target.type().isText() && target.type() != field.type();
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String fingerprint() throws IOException {
        return source.fingerprint();
    }

    @Override
    public Optional<Dataset> dataset() {
        return source.dataset();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        List<FieldCast> casts = new ArrayList<>();
        List<Field> from = source.fields();
        BatchReceiver last = receiver;
        try {
            for (List<Field> next : numbers) {
                casts.add(new FieldCast(from, next, next));
                from = next;
            }
            casts.add(new FieldCast(from, from, fields));
            for (FieldCast cast : casts.reversed()) {
                BatchReceiver following = last;
                last = (indices, batch) -> cast.apply(indices, batch, following);
            }
            source.forEach(last, progress);
        } finally {
            casts.forEach(FieldCast::close);
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
