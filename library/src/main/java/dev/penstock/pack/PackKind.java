// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.util.Optional;

/// The kind of a record: what its bytes are. The index of a pack stores the number.
///
/// This package knows bytes only. The other kinds come from the [record families][RecordFamily] of other modules.
///
/// @param code   the number in a file, from 0 to 255
/// @param word   the name on the command line, such as `run-v1`
/// @param plural the name of the number of such records in statistics, such as `runs_v1`
public record PackKind(int code, String word, String plural) {
    /// The limit of the numbers of kinds.
    static final int CODE_LIMIT = 256;

    /// Any bytes.
    public static final PackKind OPAQUE = new PackKind(0, "bytes", "opaque");

    public PackKind {
        if (code < 0 || code >= CODE_LIMIT) {
            throw new IllegalArgumentException("the code of a kind must be from 0 to 255, got " + code);
        }
    }

    /// The kind with a number, if a module knows it.
    public static Optional<PackKind> of(int code) {
        return code == 0 ? Optional.of(OPAQUE) : RecordFamilies.kind(code);
    }

    /// The name of the number of such records among the facts of a pack: `runV1` for `run-v1`.
    String fact() {
        StringBuilder name = new StringBuilder();
        for (String part : word.split("-")) {
            boolean isFirst = name.isEmpty();
            name.append(isFirst ? part.charAt(0) : Character.toUpperCase(part.charAt(0)))
                    .append(part.substring(1));
        }
        return name.toString();
    }
}
