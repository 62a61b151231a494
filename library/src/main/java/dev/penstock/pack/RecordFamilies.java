// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/// The families of records on the class path. They are searched for when first needed, because that opens all
/// jars.
final class RecordFamilies {
    static final List<RecordFamily> ALL =
            ServiceLoader.load(RecordFamily.class, RecordFamily.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private static final PackKind[] BY_CODE = byCode();

    private RecordFamilies() {}

    private static PackKind[] byCode() {
        PackKind[] kinds = new PackKind[PackKind.CODE_LIMIT];
        kinds[0] = PackKind.OPAQUE;
        for (RecordFamily family : ALL) {
            for (PackKind kind : family.kinds()) {
                if (kinds[kind.code()] != null) {
                    throw new IllegalStateException("two kinds of records have the code " + kind.code() + ": "
                            + kinds[kind.code()].word() + " and " + kind.word());
                }
                kinds[kind.code()] = kind;
            }
        }
        return kinds;
    }

    static Optional<PackKind> kind(int code) {
        return code < BY_CODE.length ? Optional.ofNullable(BY_CODE[code]) : Optional.empty();
    }

    /// All kinds of all families, without [PackKind#OPAQUE].
    static List<PackKind> kinds() {
        return ALL.stream().flatMap(family -> family.kinds().stream()).toList();
    }
}
