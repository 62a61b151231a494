// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Row;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A model of a store as plain lists, and random changes of both.
///
/// A state is a list of records as text: `missing`, `deleted`, or the value in quotes for each field.
final class StoreModel {
    static final Path FOLDER = Path.of("/data");
    static final Path STORE = FOLDER.resolve("store");

    private final Random random;
    private final boolean isSwapping;
    private final int fieldCount;
    private final List<String[]> records = new ArrayList<>();
    private int valueCount;

    StoreModel(Random random, boolean isSwapping, int fieldCount) {
        this.random = random;
        this.isSwapping = isSwapping;
        this.fieldCount = fieldCount;
    }

    /// The state with all changes so far.
    List<String> state() {
        return records.stream().map(record -> String.join(" ", record)).toList();
    }

    /// Forgets the changes since a state.
    void reset(List<String> state) {
        records.clear();
        state.forEach(record -> records.add(record.split(" ")));
    }

    private byte[] value() {
        int kind = random.nextInt(12);
        if (kind == 0) {
            return null;
        }
        if (kind == 1) {
            return new byte[0];
        }
        String text = "v" + valueCount++ + ".";
        int size = kind == 2 ? 700 : 5 + random.nextInt(60);
        return text.repeat(size / text.length() + 1).substring(0, size).getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] value) {
        return value == null ? "missing" : "'" + new String(value, StandardCharsets.UTF_8) + "'";
    }

    /// One random change of the store and the model.
    void change(StoreWriter store) throws IOException {
        List<Integer> there = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            if (!records.get(i)[0].equals("deleted")) {
                there.add(i);
            }
        }
        int kind = random.nextInt(10);
        if (there.isEmpty() || kind < 5) {
            append(store);
        } else if (kind < 8) {
            int index = there.get(random.nextInt(there.size()));
            int field = random.nextInt(fieldCount);
            byte[] value = value();
            store.update(index, store.fields().get(field).name(), value);
            records.get(index)[field] = text(value);
        } else {
            delete(store, there.get(random.nextInt(there.size())));
        }
    }

    void append(StoreWriter store) throws IOException {
        List<byte[]> values = new ArrayList<>();
        String[] record = new String[fieldCount];
        for (int i = 0; i < fieldCount; i++) {
            byte[] value = value();
            values.add(value);
            record[i] = text(value);
        }
        long index = store.append(values);
        if (index != records.size()) {
            throw new AssertionError("index " + index + " instead of " + records.size());
        }
        records.add(record);
    }

    private void delete(StoreWriter store, int index) throws IOException {
        int last = records.size() - 1;
        long moved = store.delete(index);
        if (isSwapping) {
            records.set(index, records.get(last));
            records.remove(last);
            if (moved != (index == last ? -1 : last)) {
                throw new AssertionError("record " + moved + " has moved instead of " + last);
            }
        } else {
            java.util.Arrays.fill(records.get(index), "deleted");
        }
    }

    /// The state that a reader sees.
    static List<String> read(StoreReader reader) throws IOException {
        List<String> state = new ArrayList<>();
        for (long index = 0; index < reader.count(); index++) {
            Row row = reader.get(index);
            List<String> values = new ArrayList<>();
            for (int field = 0; field < row.values().size(); field++) {
                values.add(
                        reader.isDeleted(index)
                                ? "deleted"
                                : row.isMissing(field)
                                        ? "missing"
                                        : text(row.value(field).toArray(Layouts.U8)));
            }
            state.add(String.join(" ", values));
        }
        return state;
    }

    static List<String> read(Disk disk) throws IOException {
        try (StoreReader reader = StoreReader.open(STORE, disk)) {
            return read(reader);
        }
    }

    /// The records that a program finds that knows only the published layout, for fields that are stored raw.
    ///
    /// @param sequence `zr.published`, to know which state it should be
    record Plain(long sequence, List<String> state) {}

    /// A state as such a program sees it: missing, empty and deleted values all have no bytes.
    static List<String> plain(List<String> state) {
        return state.stream()
                .map(record -> record.replaceAll("missing|deleted", "''"))
                .toList();
    }

    /// Reads the published layout with its own code.
    static Plain readPlain(Disk disk) throws IOException {
        Map<?, ?> meta = (Map<?, ?>) Json.parse(all(disk, STORE.resolve("meta.json")));
        long length = (Long) meta.get("length");
        List<byte[]> tables = new ArrayList<>();
        for (Object field : (List<?>) meta.get("fields")) {
            tables.add(all(disk, STORE.resolve(((Map<?, ?>) field).get("name") + ".offset")));
        }
        List<String> state = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            List<String> values = new ArrayList<>();
            for (byte[] table : tables) {
                MemorySegment entry = MemorySegment.ofArray(table).asSlice(16L * index, 16);
                int size = entry.get(Layouts.U32, 12);
                byte[] value = new byte[size];
                if (size > 0) {
                    byte[] chunk = all(disk, STORE.resolve("chunk/" + entry.get(Layouts.U32, 0) + ".zr"));
                    System.arraycopy(chunk, (int) entry.get(Layouts.U64, 4), value, 0, size);
                }
                values.add(text(value));
            }
            state.add(String.join(" ", values));
        }
        return new Plain((Long) ((Map<?, ?>) meta.get("zr")).get("published"), state);
    }

    private static byte[] all(Disk disk, Path file) throws IOException {
        try (Disk.Readable readable = disk.open(file)) {
            byte[] bytes = new byte[Math.toIntExact(readable.size())];
            readable.read(0, MemorySegment.ofArray(bytes));
            return bytes;
        }
    }
}
