// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// The kind of a record.
public enum PackKind {
    /// Any bytes.
    OPAQUE(0),
    /// A run of the game 2048, version 1.
    RUN_V1(1),
    /// A run of the game 2048, version 2.
    RUN_V2(2);

    private static final int RUN_V1_MAGIC = 0x3154_3241;
    private static final int RUN_V1_HEAD_SIZE = 6;

    private static final PackKind[] BY_CODE = {OPAQUE, RUN_V1, RUN_V2};

    private final int code;

    PackKind(int code) {
        this.code = code;
    }

    /// The number of the kind in a file.
    int code() {
        return code;
    }

    /// The kind with a number, if it is known.
    static Optional<PackKind> of(int code) {
        return code < BY_CODE.length ? Optional.of(BY_CODE[code]) : Optional.empty();
    }

    /// Distinguishes the two versions of runs as the original program does: version 1 has a magic number,
    /// everything else is version 2.
    public static PackKind ofRun(MemorySegment content) {
        boolean isV1 = content.byteSize() >= RUN_V1_HEAD_SIZE
                && content.get(Layouts.U32, 0) == RUN_V1_MAGIC
                && content.get(Layouts.U8, 4) == 1;
        return isV1 ? RUN_V1 : RUN_V2;
    }

    /// The name of the kind on the command line.
    public String word() {
        return switch (this) {
            case OPAQUE -> "bytes";
            case RUN_V1 -> "run-v1";
            case RUN_V2 -> "run-v2";
        };
    }
}
