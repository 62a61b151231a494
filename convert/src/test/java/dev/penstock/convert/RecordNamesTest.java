// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Names of records travel through conversions, and an index of keys leads to the records it was made for.
class RecordNamesTest {
    private static final TargetOptions KEYED = TargetOptions.DEFAULT.withKey("id");

    @TempDir
    Path folder;

    private Path lines(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
    }

    private List<String> convert(Path source, String target, String format, TargetOptions options) throws IOException {
        TextRules rules = TextRules.of(Targets.choose(folder.resolve(target), format));
        try (RecordSource records = Sources.open(source, SourceOptions.DEFAULT.withText(rules))) {
            Conversion conversion = Conversion.of(records, folder.resolve(target), format, options);
            conversion.run(Progress.NONE, Progress.NONE);
            return conversion.remarks();
        }
    }

    private OptionalLong find(String target, String key) throws IOException {
        try (Dataset dataset = Catalog.open(folder.resolve(target));
                RecordKeys keys = RecordKeys.open(dataset, ReaderOptions.DEFAULT)) {
            return keys.find(key);
        }
    }

    private Path pack() throws IOException {
        Path pack = folder.resolve("photos.a2pack");
        try (PackWriter writer = PackWriter.create(pack, PackWriter.Options.DEFAULT)) {
            for (String name : List.of("a.jpg", "ö/b.jpg", "")) {
                byte[] value = ("<" + name + ">").getBytes(StandardCharsets.UTF_8);
                writer.append(name.isEmpty() ? "last" : name, PackKind.OPAQUE, MemorySegment.ofArray(value));
            }
        }
        return pack;
    }

    @Test
    void namesOfAPackBecomeAFieldOfAStoreAndNamesOfAPackAgain() throws IOException {
        assertEquals(List.of(), convert(pack(), "photos", "store", TargetOptions.DEFAULT));
        try (Dataset store = Catalog.open(folder.resolve("photos"))) {
            assertEquals(
                    List.of("value", "name"),
                    store.fields().stream().map(Field::name).toList());
            byte[] name = store.get(1).value(1).toArray(ValueLayout.JAVA_BYTE);
            assertEquals("ö/b.jpg", new String(name, StandardCharsets.UTF_8));
        }
        convert(folder.resolve("photos"), "again.a2pack", null, TargetOptions.DEFAULT.withKey("name"));
        try (Dataset again = Catalog.open(folder.resolve("again.a2pack"))) {
            assertEquals("ö/b.jpg", again.name(1));
        }
        assertEquals(OptionalLong.of(2), find("again.a2pack", "last"));
        assertEquals(OptionalLong.empty(), find("again.a2pack", "lost"));
    }

    @Test
    void plainValuesLoseTheNamesAndSaySo() throws IOException {
        List<String> remarks = convert(pack(), "plain", "store", TargetOptions.DEFAULT.withPlain(true));
        assertEquals(1, remarks.size());
        assertTrue(remarks.getFirst().contains("left out"), remarks.toString());
    }

    @Test
    void keysOfTextsAndNumbersLeadToTheirRecords() throws IOException {
        Path source = lines(
                "rows.jsonl", "{\"id\": \"cat\", \"n\": 1}", "{\"id\": \"ca\", \"n\": 2}", "{\"id\": \"\", \"n\": -3}");
        for (String target : List.of("store", "table", "rows.npy")) {
            String format = target.equals("rows.npy") ? null : target;
            convert(source, target, format, KEYED);
            assertEquals(OptionalLong.of(0), find(target, "cat"), target);
            assertEquals(OptionalLong.of(1), find(target, "ca"), target);
            assertEquals(OptionalLong.of(2), find(target, ""), target);
            assertEquals(OptionalLong.empty(), find(target, "c"), target);
            convert(source, target, format, TargetOptions.DEFAULT.withKey("n").withReplacing(true));
            assertEquals(OptionalLong.of(2), find(target, "-3"), target);
            assertEquals(OptionalLong.empty(), find(target, "cat"), target);
        }
        assertTrue(Files.exists(folder.resolve("store/keys.act")));
        assertTrue(Files.exists(folder.resolve("rows.npy.keys.act")));
    }

    @Test
    void aRepeatedKeyNamesBothRecordsAndLeavesNothing() throws IOException {
        Path source = lines("rows.jsonl", "{\"id\": \"a\"}", "{\"id\": \"b\"}", "{\"id\": \"a\"}");
        for (String target : List.of("rows.store", "rows.npy")) {
            RepeatedKeyException e =
                    assertThrows(RepeatedKeyException.class, () -> convert(source, target, null, KEYED));
            assertEquals(0, e.first());
            assertEquals(2, e.second());
            assertTrue(e.getMessage().contains(" a;"), e.getMessage());
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(source), left.toList());
        }
    }

    @Test
    void anIndexOfOtherRecordsIsRefused() throws IOException {
        convert(lines("a.jsonl", "{\"id\": \"a\"}", "{\"id\": \"b\"}"), "a.npy", null, KEYED);
        convert(lines("b.jsonl", "{\"id\": \"b\"}", "{\"id\": \"a\"}"), "b.npy", null, KEYED);
        Path index = folder.resolve("a.npy.keys.act");
        Files.move(folder.resolve("b.npy"), folder.resolve("a.npy"), StandardCopyOption.REPLACE_EXISTING);
        DatasetException e = assertThrows(DatasetException.class, () -> find("a.npy", "a"));
        assertEquals(Location.of(index), e.file());
        assertTrue(e.getMessage().contains("other records"), e.getMessage());
        convert(folder.resolve("a.jsonl"), "a.npy", null, TargetOptions.DEFAULT.withReplacing(true));
        assertFalse(Files.exists(index), "a conversion without names removes the index of the file it replaces");
        assertThrows(IllegalArgumentException.class, () -> find("a.npy", "a"));
    }

    @Test
    void fieldsThatCannotBeKeysAreRefused() throws IOException {
        Path source = lines("rows.jsonl", "{\"id\": 1.5, \"x\": \"a\"}");
        assertThrows(IllegalArgumentException.class, () -> convert(source, "a.store", null, KEYED));
        assertThrows(
                IllegalArgumentException.class,
                () -> convert(source, "a.store", null, TargetOptions.DEFAULT.withKey("other")));
        Path missing = lines("missing.jsonl", "{\"id\": \"a\"}", "{\"id\": null}");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> convert(missing, "a.store", null, KEYED));
        assertTrue(e.getMessage().contains("record 1 "), e.getMessage());
        assertFalse(Files.exists(folder.resolve("a.store")));
    }

    @Test
    void aCopyOfAFolderHasItsIndex() throws IOException {
        convert(lines("rows.jsonl", "{\"id\": \"a\"}", "{\"id\": \"b\"}"), "rows", "store", KEYED);
        DatasetCopy.of(Location.of(folder.resolve("rows")), Location.of(folder.resolve("copy")))
                .run(Progress.NONE);
        assertEquals(OptionalLong.of(1), find("copy", "b"));
    }

    @Test
    void moreKeysThanFitInMemoryAreSorted() throws IOException {
        Path tree = folder.resolve("keys.act");
        List<byte[]> keys = IntStream.range(0, 40_000)
                .mapToObj(i -> ("key " + i * 7919L % 40_009).getBytes(StandardCharsets.UTF_8))
                .collect(Collectors.toList());
        try (KeyIndexWriter writer = new KeyIndexWriter(tree, "test", Disk.real(), 1 << 20)) {
            for (int i = 0; i < keys.size(); i++) {
                writer.add(keys.get(i), i);
            }
            writer.write(tree, "fingerprint", keys.size());
        }
        try (TreeReader index = TreeReader.open(tree)) {
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(OptionalLong.of(i), index.get(keys.get(i)));
            }
            assertEquals(keys.size() + 1, index.count());
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(tree), left.toList());
        }
    }
}
