// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.file.Codec;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The numbers in files of A2PACK. They never change: a number that does breaks every pack there is.
class PackCodesTest {
    @Test
    void kindsHaveTheirNumbers() {
        Map<PackKind, Integer> codes = Map.of(PackKind.OPAQUE, 0, SampleRuns.V1, 1, SampleRuns.V2, 2);
        codes.forEach((kind, code) -> {
            assertEquals(code, kind.code());
            assertEquals(Optional.of(kind), PackKind.of(code));
        });
        assertEquals(Optional.empty(), PackKind.of(3));
        assertEquals(Optional.empty(), PackKind.of(0xFFFF));
    }

    @Test
    void codecsHaveTheirFlags() {
        Map<Codec, Integer> flags = new EnumMap<>(Map.of(Codec.NONE, 0, Codec.ZSTD, 0x10, Codec.LZ4, 0x20));
        flags.forEach((codec, flag) -> {
            assertEquals(flag, PackEntry.flags(codec));
            assertEquals(codec, new PackEntry(0, 0, 0, flag, 0, 0).codec());
        });
        assertEquals(flags.size(), PackCodecs.COUNT);
    }
}
