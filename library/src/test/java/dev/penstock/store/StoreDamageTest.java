// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Every flipped bit and every truncation of every file is noticed or changes nothing, and values that claim to
/// expand to much are refused before memory is set aside for them.
class StoreDamageTest {
    /// All values that the records ever had, and the meaning of a slot without bytes.
    private static final Set<String> KNOWN = Set.of("'one'", "'two'", "'three'", "missing", "deleted", "''");

    /// The states after the last commits.
    private static final Set<List<String>> STATES = Set.of(
            List.of("'one'", "missing", "'three'"),
            List.of("'two'", "missing", "'three'"),
            List.of("'two'", "missing", "deleted"));

    /// Behind the part of a file that is used, only some of the zeros are damaged.
    private static final int USED_BYTES = 300;

    private static final int STEP_IN_ZEROS = TestData.isLong() ? 1 : 37;

    private final MemoryDisk disk = new MemoryDisk().addFolder(StoreModel.FOLDER);

    @BeforeEach
    void writeStore() throws IOException {
        StoreOptions options = StoreOptions.DEFAULT.withDisk(disk).withRotateBytes(400);
        StoreWriter store = StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), options);
        store.append(List.of("one".getBytes()));
        store.append(Arrays.asList((byte[]) null));
        store.append(List.of("three".getBytes()));
        store.checkpoint();
        store.update(0, "A", "two".getBytes());
        store.commit();
        store.delete(2);
        store.commit();
        store.abort();
    }

    private static List<String> read(MemoryDisk damaged) throws IOException {
        StoreReader.Options options =
                StoreReader.Options.DEFAULT.withDisk(damaged).withAccess(Access.READ);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, options)) {
            List<String> found = StoreModel.read(reader);
            reader.verify(Progress.NONE);
            return found;
        }
    }

    /// @return whether the damage was noticed
    private static boolean isNoticed(MemoryDisk damaged, Path file, List<String> expected, String what)
            throws IOException {
        try {
            List<String> found = read(damaged);
            // Tables have no checksum: a slot may lose its value or name an older one, but never make one up. The
            // last frame of a journal without a later one looks like one that was never finished.
            boolean isKnown = file.toString().endsWith(".offset") && KNOWN.containsAll(found)
                    || file.toString().endsWith(".zj") && STATES.contains(found);
            assertTrue(found.equals(expected) || isKnown, file + ", " + what + ": " + found);
            return false;
        } catch (DatasetException e) {
            assertTrue(e.getMessage().contains("/data/store"), e.getMessage());
            return true;
        }
    }

    @Test
    void everyFlippedBitIsNoticedOrChangesNothing() throws IOException {
        List<String> expected = read(disk);
        assertEquals(List.of("'two'", "missing", "deleted"), expected);
        long flips = 0;
        long flipsInUse = 0;
        long noticed = 0;
        for (Path file : disk.files()) {
            byte[] bytes = disk.bytes(file);
            for (int i = 0; i < bytes.length * 8; i += i < USED_BYTES * 8 ? 1 : STEP_IN_ZEROS) {
                byte[] flipped = bytes.clone();
                flipped[i / 8] ^= (byte) (1 << i % 8);
                MemoryDisk damaged = disk.copy().put(file, flipped);
                noticed += isNoticed(damaged, file, expected, "bit " + i) ? 1 : 0;
                flips++;
                flipsInUse += i < USED_BYTES * 8 ? 1 : 0;
            }
        }
        assertTrue(noticed > flipsInUse / 4, noticed + " of " + flipsInUse);
        Figures.print("store, flipped bits", flips);
    }

    @Test
    void everyTruncationIsNoticedOrChangesNothing() throws IOException {
        List<String> expected = read(disk);
        long cuts = 0;
        for (Path file : disk.files()) {
            byte[] bytes = disk.bytes(file);
            for (int size = 0; size < bytes.length; size += size < USED_BYTES ? 1 : STEP_IN_ZEROS) {
                MemoryDisk damaged = disk.copy().put(file, Arrays.copyOf(bytes, size));
                isNoticed(damaged, file, expected, size + " bytes");
                cuts++;
            }
        }
        Figures.print("store, truncations", cuts);
    }

    /// Without checks a damaged value is returned, which the sweep above would notice; `verify` finds it all the
    /// same.
    @Test
    void aReaderThatChecksNothingWouldBeCaught() throws IOException {
        Path chunk = StoreFormat.chunk(StoreModel.STORE, 0);
        String bytes = new String(disk.bytes(chunk), StandardCharsets.ISO_8859_1).replace("two", "tWo");
        MemoryDisk damaged = disk.copy().put(chunk, bytes.getBytes(StandardCharsets.ISO_8859_1));
        StoreReader.Options unchecked =
                StoreReader.Options.DEFAULT.withDisk(damaged).withChecking(false);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, unchecked)) {
            assertEquals(List.of("'tWo'", "missing", "deleted"), StoreModel.read(reader));
            assertFalse(reader.verify(Progress.NONE).isOk());
        }
        assertThrows(DatasetException.class, () -> read(damaged));
    }

    /// Each number in `meta.json` is as large as possible, with the right checksum.
    @Test
    void hugeNumbersAreRefusedOrDoNoHarm() throws IOException {
        Path meta = StoreModel.STORE.resolve(StoreFormat.META);
        String text = new String(disk.bytes(meta), StandardCharsets.UTF_8);
        String covered = text.substring(0, text.lastIndexOf("\"crc32c\""));
        int refusedCount = 0;
        for (MatchResult number : Pattern.compile("(?<=[:\\[, ])\\d+(?=[,}\\] \n])")
                .matcher(covered)
                .results()
                .toList()) {
            for (long value : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, 1L << 62}) {
                String start = covered.substring(0, number.start()) + value + covered.substring(number.end());
                MemoryDisk damaged = disk.copy();
                damaged.put(meta, withChecksum(start));
                refusedCount += isRefused(() -> read(damaged)) ? 1 : 0;
                isRefused(() -> changeAndReopen(damaged));
            }
        }
        assertTrue(refusedCount > 20, "refused " + refusedCount);
    }

    private static byte[] withChecksum(String start) {
        int crc = Crc32c.of(MemorySegment.ofArray(start.getBytes(StandardCharsets.UTF_8)));
        return (start + "\"crc32c\": \"" + ChecksummedJson.hex(crc) + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    private static void changeAndReopen(MemoryDisk damaged) throws IOException {
        StoreOptions options = StoreOptions.DEFAULT.withDisk(damaged);
        for (int i = 0; i < 2; i++) {
            try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options)) {
                store.update(0, "A", new byte[] {'x'});
                store.commit();
            }
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    /// @return false when there is no error; an error that is neither the bytes' nor the disk's fails the test
    private static boolean isRefused(Attempt attempt) {
        try {
            attempt.run();
            return false;
        } catch (DatasetException | IOException e) {
            return true;
        }
    }

    /// A value of a few bytes that expands to a gigabyte, or says that it does.
    @Test
    void bombsAreRefused() throws IOException {
        for (StoreCompression compression :
                List.of(StoreCompression.FLATE, StoreCompression.ZSTD, StoreCompression.LZ4)) {
            for (boolean isHonest : new boolean[] {false, true}) {
                MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
                StoreField field = StoreField.bytes("A").withCompression(compression);
                try (StoreWriter store =
                        StoreWriter.create(StoreModel.STORE, List.of(field), StoreOptions.DEFAULT.withDisk(memory))) {
                    store.append(List.of(new byte[1000]));
                }
                Path chunk = StoreFormat.chunk(StoreModel.STORE, 0);
                byte[] bytes = memory.bytes(chunk);
                long claimed = isHonest ? 999 : 1L << 30;
                claim(memory, chunk, bytes, claimed);
                try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
                    DatasetException refusal = assertThrows(DatasetException.class, () -> reader.get(0));
                    assertEquals(Reason.BAD_COMPRESSION, refusal.reason());
                }
            }
        }
    }

    /// Changes the size that a value says it expands to, with the right checksum.
    private static void claim(MemoryDisk memory, Path chunk, byte[] bytes, long rawSize) throws IOException {
        MemorySegment all = MemorySegment.ofArray(bytes);
        byte[] table = memory.bytes(StoreFormat.table(StoreModel.STORE, "A"));
        StoreEntry entry = StoreEntry.read(MemorySegment.ofArray(table), 0);
        all.set(Layouts.U32, entry.offset() - 4, (int) rawSize);
        Crc32c crc = new Crc32c();
        crc.update(all.asSlice(entry.offset() - 4, 4 + entry.size()));
        all.set(Layouts.U32, entry.offset() - 8, crc.value());
        memory.put(chunk, bytes);
    }

    /// A store that another program wrote after the published layout alone: no `zr`, no prefixes, no checksums.
    @Test
    void aPlainStoreOfAnotherProgramIsRead() throws IOException {
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(deflated, new Deflater(9, true))) {
            out.write("hello hello hello".getBytes());
        }
        byte[] chunk = Arrays.copyOf("raw".getBytes(), 3 + deflated.size());
        System.arraycopy(deflated.toByteArray(), 0, chunk, 3, deflated.size());
        byte[] raw = new byte[32];
        byte[] flate = new byte[32];
        new StoreEntry(0, 0, 3).write(MemorySegment.ofArray(raw), 16);
        new StoreEntry(0, 3, deflated.size()).write(MemorySegment.ofArray(flate), 0);
        String meta = "{\"length\": 2, \"chunks\": {\"num\": 1, \"size\": 8192, \"unfull\": [[0, 23, 2]]},"
                + " \"fields\": [{\"name\": \"A\"},"
                + " {\"name\": \"B\", \"compress\": \"flate\"}]}";
        MemoryDisk plain = new MemoryDisk()
                .put(StoreModel.STORE.resolve("meta.json"), meta.getBytes())
                .put(StoreModel.STORE.resolve("A.offset"), raw)
                .put(StoreModel.STORE.resolve("B.offset"), flate)
                .put(StoreFormat.chunk(StoreModel.STORE, 0), chunk);
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, plain)) {
            assertEquals(List.of("missing 'hello hello hello'", "'raw' missing"), StoreModel.read(reader));
            assertTrue(reader.verify(Progress.NONE).isOk());
            assertFalse(reader.fingerprint().isEmpty());
        }
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> StoreWriter.open(StoreModel.STORE, StoreOptions.DEFAULT.withDisk(plain)));
        assertTrue(refusal.getMessage().contains("can only be read"), refusal.getMessage());
    }
}
