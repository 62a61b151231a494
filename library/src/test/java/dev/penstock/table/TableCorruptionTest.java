// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.WorkLimit;
import dev.penstock.file.Access;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile.Published;
import dev.penstock.table.TableProbe.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Small tables damaged in every place: never anything worse than refused, and with a manifest never unnoticed.
@ExtendWith(Seeds.class)
class TableCorruptionTest {
    private static final int ROW_COUNT = 7;

    enum Sample {
        PLAIN,
        RECORD,
        LARGER_ROWS,
        SHARDS,
        SHARDS_WITHOUT_MANIFEST;

        MemoryDisk disk() throws IOException {
            Random random = Seeds.random();
            return switch (this) {
                case PLAIN -> file(Tables.PLAIN, random);
                case RECORD -> file(Tables.RECORD, random);
                case LARGER_ROWS -> file(new RowType(DType.parse(">u2"), List.of(2L, 3L)), random);
                case SHARDS -> folder(random);
                case SHARDS_WITHOUT_MANIFEST -> {
                    MemoryDisk disk = folder(random);
                    disk.delete(Tables.FOLDER.resolve(TableFormat.MANIFEST));
                    yield disk;
                }
            };
        }

        private static MemoryDisk file(RowType rowType, Random random) throws IOException {
            byte[] rows = Tables.rows(rowType, ROW_COUNT, random);
            return Tables.disk().put(Tables.FILE, Tables.file(rowType, rows));
        }

        private static MemoryDisk folder(Random random) throws IOException {
            return Tables.folder(Tables.RECORD, Tables.rows(Tables.RECORD, ROW_COUNT, random), 3);
        }

        Path path() {
            return this == SHARDS || this == SHARDS_WITHOUT_MANIFEST ? Tables.FOLDER : Tables.FILE;
        }

        boolean hasChecksums() {
            return this == SHARDS;
        }
    }

    private static Outcome read(Sample sample, MemoryDisk disk, Access access, String damage) {
        try {
            return WorkLimit.of(() -> TableProbe.read(() -> Tables.open(disk, sample.path(), access)));
        } catch (Throwable e) {
            throw new AssertionError(sample + ", " + access + ": " + damage, e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUndamagedTableIsReadWhole(Sample sample) throws IOException {
        for (Access access : Access.values()) {
            assertEquals(Outcome.GOOD, read(sample, sample.disk(), access, "no damage"));
        }
    }

    /// Without its line end the manifest says the same.
    private static boolean isHarmlessCut(Path file, int cutBytes) {
        return isManifest(file) && cutBytes == 1;
    }

    private static boolean isManifest(Path file) {
        return file.endsWith(TableFormat.MANIFEST);
    }

    @ParameterizedTest
    @EnumSource
    void truncationAtEveryByteIsRefusedOrNoticed(Sample sample) throws IOException {
        MemoryDisk disk = sample.disk();
        long cuts = 0;
        for (Path file : disk.files()) {
            byte[] whole = disk.bytes(file);
            for (int size = 0; size < whole.length; size++) {
                disk.put(file, Arrays.copyOf(whole, size));
                for (Access access : Access.values()) {
                    Outcome outcome = read(sample, disk, access, file + " cut to " + size + " bytes");
                    if (!isHarmlessCut(file, whole.length - size)) {
                        assertNotEquals(Outcome.GOOD, outcome, file + " cut to " + size + " bytes");
                    }
                    cuts++;
                }
            }
            disk.put(file, whole);
        }
        Figures.print("table, truncations", cuts);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SHARDS_WITHOUT_MANIFEST")
    void aSingleBitFlipIsHarmlessAndWithAManifestNoticed(Sample sample) throws IOException {
        MemoryDisk disk = sample.disk();
        // Three and eight have no common divisor, so every third bit is each bit of a byte in turn.
        int step = TestData.isLong() || sample.hasChecksums() ? 1 : 3;
        long flips = 0;
        for (Path file : disk.files()) {
            byte[] whole = disk.bytes(file);
            for (int bit = 0; bit < whole.length * 8; bit += step) {
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                disk.put(file, flipped);
                Access access = bit % 8 == bit / 8 % 8 ? Access.MMAP : Access.READ;
                String damage = file + ": bit " + bit % 8 + " of byte " + bit / 8 + " flipped";
                Outcome outcome = read(sample, disk, access, damage);
                assertFalse(sample.hasChecksums() && outcome == Outcome.GOOD, damage + " was not noticed");
                flips++;
            }
            disk.put(file, whole);
        }
        Figures.print("table, single-bit flips", flips);
    }

    /// The planted bug: a manifest that lists no checksums misses every flip of a value.
    @Test
    void aVerifyWithoutChecksumsWouldBeCaught() throws IOException {
        MemoryDisk disk = Sample.SHARDS.disk();
        TableManifest manifest = TableManifest.read(disk, Tables.FOLDER);
        disk.put(
                Tables.FOLDER.resolve(TableFormat.MANIFEST),
                manifest.withShards(manifest.shards().stream()
                                .map(shard -> new Published(shard.name(), shard.rows(), shard.bytes(), null))
                                .toList())
                        .write());
        Path file = Tables.FOLDER.resolve(manifest.shards().getFirst().name());
        byte[] flipped = disk.bytes(file);
        flipped[flipped.length - 1] ^= 1;
        disk.put(file, flipped);
        assertEquals(Outcome.GOOD, read(Sample.SHARDS, disk, Access.MMAP, "a flip without checksums"));
    }

    /// A wrong manifest with a fitting checksum is refused. A lenient reader reads the files and reports an error.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"shape\":[null]",
                "\"shape\":[\"1\"]",
                "\"shape\":null",
                "\"shards\":[null]",
                "\"shards\":[[]]",
                "\"shards\":[{\"file\":\"../../etc/x-00000.npy\",\"rows\":1,\"bytes\":1,\"crc32c\":null}]",
                "\"shards\":[{\"file\":\"rows-00000.npy\",\"rows\":-1,\"bytes\":1,\"crc32c\":null}]",
                "\"shards\":[{\"file\":\"rows-00000.npy\",\"rows\":1.5,\"bytes\":1,\"crc32c\":null}]",
                "\"shards\":[{\"file\":\"rows-00000.npy\",\"rows\":1,\"bytes\":99999999999999999999,\"crc32c\":null}]",
                "\"shards\":[{\"file\":\"rows-00000.npy\",\"rows\":1,\"bytes\":1,\"crc32c\":7}]",
                "\"shards\":[{\"file\":null,\"rows\":1,\"bytes\":1}]",
                "\"metadata\":{\"a\":null}",
                "\"metadata\":[]",
                "\"metadata\":{\"a\":{\"b\":1}}",
                "\"version\":2",
                "\"dtype\":7",
                "\"created\":null"
            })
    void aManifestThatLiesWithAFittingChecksumIsRefused(String lie) throws IOException {
        MemoryDisk disk = Sample.SHARDS.disk();
        Path file = Tables.FOLDER.resolve(TableFormat.MANIFEST);
        String key = lie.substring(0, lie.indexOf(':'));
        String text = new String(disk.bytes(file), StandardCharsets.UTF_8);
        String body = text.substring(0, text.lastIndexOf("\"crc32c\"")).replaceFirst(key + ":", "\"was\":");
        body = body.substring(0, body.length() - 1) + "," + lie + ",";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String crc = ChecksummedJson.hex(Crc32c.of(MemorySegment.ofArray(bytes)));
        disk.put(file, (body + "\"crc32c\":\"" + crc + "\"}\n").getBytes(StandardCharsets.UTF_8));
        assertThrows(DatasetException.class, () -> TableManifest.read(disk, Tables.FOLDER));
        assertEquals(Outcome.REFUSED, read(Sample.SHARDS, disk, Access.MMAP, lie));
        TableReader.Options lenient = Tables.reading(disk).withLenient(true);
        assertEquals(Outcome.BAD, TableProbe.read(() -> TableReader.open(Tables.FOLDER, lenient)));
        assertThrows(DatasetException.class, () -> TableWriter.extend(Tables.FOLDER, Tables.writing(disk)));
    }

    @ParameterizedTest
    @EnumSource
    void randomDamageIsRefusedOrHarmlessAndWithAManifestNoticed(Sample sample) throws IOException {
        Random random = Seeds.random();
        MemoryDisk disk = sample.disk();
        TableManifest manifest = manifest(disk);
        int rounds = TestData.isLong() ? 200_000 : 800;
        for (int round = 0; round < rounds; round++) {
            Path file = disk.files().get(random.nextInt(disk.files().size()));
            byte[] whole = disk.bytes(file);
            byte[] damaged = damage(random, whole);
            disk.put(file, damaged);
            Outcome outcome = read(sample, disk, Access.values()[round % 2], "round " + round);
            boolean isSame = Arrays.equals(whole, damaged)
                    || (manifest != null && manifest.equals(manifest(disk)) && isManifest(file));
            // With both of its marks gone a manifest is another program's.
            isSame |= isManifest(file) && !TableManifest.isOurs(Storage.of(disk), Location.of(Tables.FOLDER));
            assertTrue(isSame || !sample.hasChecksums() || outcome != Outcome.GOOD, "round " + round + " in " + file);
            disk.put(file, whole);
        }
        Figures.print("table, random damages", rounds);
    }

    private static TableManifest manifest(MemoryDisk disk) throws IOException {
        try {
            return TableManifest.read(disk, Tables.FOLDER);
        } catch (DatasetException e) {
            return null;
        }
    }

    /// A few bytes changed, a range zeroed, a range copied elsewhere, or the length changed.
    private static byte[] damage(Random random, byte[] whole) {
        byte[] bytes = whole.clone();
        int from = random.nextInt(bytes.length);
        int size = random.nextInt(Math.min(64, bytes.length - from) + 1);
        switch (random.nextInt(5)) {
            case 0 -> {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
            }
            case 1 -> Arrays.fill(bytes, from, from + size, (byte) (random.nextBoolean() ? 0 : -1));
            case 2 -> System.arraycopy(whole, from, bytes, random.nextInt(bytes.length - size + 1), size);
            case 3 -> {
                // Texts stay texts more often than not.
                for (int i = random.nextInt(4); i >= 0; i--) {
                    bytes[random.nextInt(bytes.length)] =
                            (byte) "0123456789'[](),<>|=-ifuSVL{} ".charAt(random.nextInt(30));
                }
            }
            default -> bytes = Arrays.copyOf(bytes, Math.max(0, bytes.length + random.nextInt(128) - 64));
        }
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void damageOnTheRealDiskIsRefusedOrHarmlessToo(Sample sample, @TempDir Path folder) throws IOException {
        MemoryDisk disk = sample.disk();
        for (Path file : disk.files()) {
            byte[] whole = disk.bytes(file);
            for (int position = 0; position < whole.length; position += 11) {
                byte[] flipped = whole.clone();
                flipped[position] ^= 0x10;
                Path real = folder.resolve("damaged.npy");
                Files.write(real, flipped);
                try {
                    TableProbe.read(() -> TableReader.open(real));
                } catch (Throwable e) {
                    throw new AssertionError(sample + ": byte " + position, e);
                }
                Files.delete(real);
            }
        }
    }
}
