// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/// A record as a test gives it to the writer and wants it back from the reader.
record PackRecord(String name, PackKind kind, byte[] bytes) {
    private static final List<PackKind> KINDS = List.of(PackKind.OPAQUE, SampleRuns.V1, SampleRuns.V2);

    static PackRecord of(String text) {
        return new PackRecord(null, PackKind.OPAQUE, text.getBytes(StandardCharsets.UTF_8));
    }

    static PackRecord of(byte[] bytes) {
        return new PackRecord(null, PackKind.OPAQUE, bytes);
    }

    PackRecord named(String name) {
        return new PackRecord(name, kind, bytes);
    }

    /// Records of random sizes, half of them compressible.
    static List<PackRecord> random(Random random, int count, int sizeMax, boolean hasNames) {
        List<PackRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[random.nextInt(10) == 0 ? 0 : random.nextInt(sizeMax + 1)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                Arrays.fill(bytes, bytes.length / 8, bytes.length, (byte) i);
            }
            PackKind kind = KINDS.get(random.nextInt(KINDS.size()));
            records.add(new PackRecord(hasNames ? name(random, i) : null, kind, bytes));
        }
        return records;
    }

    /// A name that is not empty, sometimes with characters beyond ASCII and beyond 16 bits.
    private static String name(Random random, int index) {
        String[] folders = {"", "a/", "grün/", "日本語/", "🙂/b/"};
        return folders[random.nextInt(folders.length)] + index + ".bin";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PackRecord record
                && Objects.equals(name, record.name)
                && kind == record.kind
                && Arrays.equals(bytes, record.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return kind + (name == null ? "" : " " + name) + " of " + bytes.length + " bytes";
    }
}
