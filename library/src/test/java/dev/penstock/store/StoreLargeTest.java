// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A value of the largest size that is accepted can be read, also where compressing it makes it larger.
class StoreLargeTest {
    private static final String HEAP = "-Xmx9g";

    /// What no compression makes smaller.
    private static byte[] noise(int size) {
        byte[] noise = new byte[size];
        new Random(1).nextBytes(noise);
        return noise;
    }

    @ParameterizedTest
    @EnumSource(StoreCompression.class)
    void theStoredFormOfTheLargestValueIsWithinItsLimit(StoreCompression compression) {
        byte[] sample = noise(1 << 20);
        try (ValuePacker packer = new ValuePacker()) {
            long excess =
                    packer.pack(compression, MemorySegment.ofArray(sample)).byteSize() - sample.length;
            long largest = StoreFormat.VALUE_SIZE_MAX + excess * (StoreFormat.VALUE_SIZE_MAX / sample.length);
            assertTrue(largest <= StoreFormat.STORED_SIZE_MAX, compression + ": " + largest);
        }
    }

    @Test
    void theLargestValueIsReadAgain(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(TestData.isLong(), "needs ./check --long");
        List<String> command = ChildJava.command(folder, StoreLargeTest.class, folder.resolve("store"));
        command.replaceAll(argument -> argument.startsWith("-Xmx") ? HEAP : argument);
        ChildJava.Result result = ChildJava.run(folder, command, Integer.MAX_VALUE);
        assertEquals(0, result.exitCode(), result.output());
    }

    /// Writes a value of the largest size in each compression and reads it.
    public static void main(String[] arguments) throws IOException {
        byte[] value = noise((int) StoreFormat.VALUE_SIZE_MAX);
        for (StoreCompression compression : StoreCompression.values()) {
            Path path = Path.of(arguments[0] + compression);
            StoreField field = StoreField.bytes("A").withCompression(compression);
            try (StoreWriter store = StoreWriter.create(path, List.of(field), StoreOptions.DEFAULT)) {
                store.append(List.of(value));
                store.commit();
            }
            try (StoreReader reader = StoreReader.open(path)) {
                MemorySegment found = reader.get(0).value(0);
                assertEquals(-1, found.mismatch(MemorySegment.ofArray(value)), compression.name());
            }
        }
    }
}
