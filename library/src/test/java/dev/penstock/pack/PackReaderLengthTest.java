// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.DatasetException;
import dev.penstock.file.Codec;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Lengths of records come from the index.
final class PackReaderLengthTest {
    @ParameterizedTest
    @EnumSource(Codec.class)
    void lengthsAreKnownWithoutReadingTheRecords(Codec codec) throws IOException {
        byte[] bytes = Packs.bytes(Packs.options().withCodec(codec, 0), Packs.SAMPLE);
        try (PackReader whole = Packs.open(bytes)) {
            bytes[(int) whole.entry(0).offset()] ^= 1;
        }
        PackReader pack = Packs.open(bytes);
        assertThrows(DatasetException.class, () -> pack.get(0));
        for (int i = 0; i < Packs.SAMPLE.size(); i++) {
            assertEquals(Packs.SAMPLE.get(i).bytes().length, pack.length(PackReader.VALUE, i));
        }
        pack.close();
        assertThrows(IllegalStateException.class, () -> pack.length(PackReader.VALUE, 0));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void aPackDoesNotGrowAndKnowsOnlyItsOwnFingerprint(Codec codec) throws IOException {
        try (PackReader pack = Packs.open(Packs.bytes(Packs.options().withCodec(codec, 0), Packs.SAMPLE))) {
            assertEquals(pack.fingerprint(), pack.fingerprint(pack.count()));
            assertNull(pack.fingerprint(1));
        }
    }
}
