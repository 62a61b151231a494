// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import java.util.ArrayList;
import java.util.List;

/// What the records seen so far say about a feature, and how its values become fields.
///
/// | values                                          | fields                                                     |
/// |-------------------------------------------------|------------------------------------------------------------|
/// | one number everywhere                           | `NAME`, `int64` or `float32`                               |
/// | as many numbers everywhere                      | `NAME`, an array                                           |
/// | numbers of different counts                     | `NAME`, variable                                           |
/// | one value of bytes everywhere                   | `NAME`, bytes                                              |
/// | several values of bytes                         | `NAME`, all of them together, and `NAME.sizes`             |
/// | a list with one value in each step              | `NAME`, variable; of bytes: and `NAME.sizes`               |
/// | a list with several values in a step            | `NAME`, all of them together, and `NAME.steps`, how many   |
///
/// A record without the feature has a missing value, and so does one with a feature without values where all
/// others have one count.
final class TfColumn {
    private final String name;
    private TfFeature.Kind kind = TfFeature.Kind.NONE;
    private Boolean isList;
    private long countMin = Long.MAX_VALUE;
    private long countMax;
    private boolean hasOneEach = true;

    TfColumn(String name) {
        this.name = name;
    }

    void see(TfFeature feature) throws BadMember {
        if (feature.kind() != TfFeature.Kind.NONE) {
            if (kind != TfFeature.Kind.NONE && kind != feature.kind()) {
                throw new BadMember(
                        Reason.SHARD_MISMATCH,
                        "the feature " + name + " has values of the kind " + feature.kind() + ", but earlier ones are "
                                + kind);
            }
            kind = feature.kind();
        }
        if (isList != null && isList != feature.isList()) {
            throw new BadMember(
                    Reason.SHARD_MISMATCH, "the feature " + name + " is a list of steps in some records only");
        }
        isList = feature.isList();
        if (isList) {
            hasOneEach &= feature.hasOneEach();
        } else if (feature.count() > 0) {
            countMin = Math.min(countMin, feature.count());
            countMax = Math.max(countMax, feature.count());
        }
    }

    private boolean isFixed() {
        return !isList && countMin == countMax;
    }

    List<Field> fields() {
        ElementType type = switch (kind) {
            case FLOAT -> ElementType.F32;
            case INT64 -> ElementType.I64;
            default -> ElementType.BYTES;
        };
        List<Field> fields = new ArrayList<>();
        boolean isArray = isFixed() && type != ElementType.BYTES;
        fields.add(
                isArray
                        ? Field.fixed(name, type, countMax == 1 ? new Long[0] : new Long[] {countMax})
                        : Field.variable(name, type));
        if (hasSizes()) {
            fields.add(Field.variable(name + ".sizes", ElementType.I64));
        }
        if (isList && !hasOneEach) {
            fields.add(Field.variable(name + ".steps", ElementType.I64));
        }
        return fields;
    }

    private boolean hasSizes() {
        return kind == TfFeature.Kind.BYTES && (isList || countMax > 1);
    }

    /// Sets the values of a record.
    ///
    /// @param feature the feature, or null if the record has none
    /// @return the position after the last value
    int set(TfFeature feature, byte[][] values, int position) throws BadMember {
        int next = position;
        boolean isMissing = feature == null || isFixed() && feature.count() == 0;
        if (feature != null && !isMissing) {
            requireSeen(feature);
        }
        values[next++] = isMissing ? null : feature.values();
        if (hasSizes()) {
            values[next++] = isMissing ? null : feature.sizes();
        }
        if (isList && !hasOneEach) {
            values[next++] = isMissing ? null : feature.steps();
        }
        return next;
    }

    /// The second pass may meet a record that the first one did not.
    private void requireSeen(TfFeature feature) throws BadMember {
        boolean isKnown = feature.kind() == TfFeature.Kind.NONE || feature.kind() == kind;
        boolean isFitting = isKnown
                && feature.isList() == isList
                && (isList
                        ? !hasOneEach || feature.hasOneEach()
                        : feature.count() == 0 || feature.count() >= countMin && feature.count() <= countMax);
        if (!isFitting) {
            throw new BadMember(Reason.SHARD_MISMATCH, "the feature " + name + " differs from the other records");
        }
    }
}
