// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import dev.penstock.plugin.RecordText;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands on records that lack values.
final class MissingValuesTest {
    private static final List<Field> FIELDS = List.of(
            Field.fixed("x", ElementType.U8),
            Field.fixed("pair", ElementType.U8, 2L),
            Field.variable("text", ElementType.UTF8));

    @TempDir
    Path folder;

    /// Record 0 has everything, record 1 nothing, and record 2 an empty text.
    private static Dataset dataset() {
        return (Dataset) Proxy.newProxyInstance(
                Dataset.class.getClassLoader(), new Class<?>[] {Dataset.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "count", "bytes" -> 3L;
                        case "fields" -> FIELDS;
                        case "path" -> Path.of("made");
                        case "gather" -> {
                            gather((long[]) arguments[0], (Batch) arguments[1]);
                            yield null;
                        }
                        case "name" -> null;
                        case "hasDeleted" -> false;
                        default -> throw new AssertionError(method);
                    };
                });
    }

    private static void gather(long[] indices, Batch batch) {
        batch.clear();
        for (Column column : batch.columns()) {
            boolean isVariable = column.field().isVariable();
            long size = isVariable ? 1 : column.field().itemSize();
            MemorySegment values = column.reserveValues(indices.length * size).fill((byte) 0);
            MemorySegment offsets =
                    isVariable ? column.reserveOffsets(indices.length).fill((byte) 0) : null;
            for (int row = 0; row < indices.length; row++) {
                if (indices[row] == 0) {
                    values.asSlice(row * size, size).fill((byte) 'a');
                }
                if (indices[row] == 1) {
                    column.reserveMissing(indices.length).set(Layouts.U8, row, (byte) 1);
                }
                if (isVariable) {
                    long length = indices[row] == 0 ? 1 : 0;
                    offsets.setAtIndex(Layouts.U64, row + 1, offsets.getAtIndex(Layouts.U64, row) + length);
                }
            }
        }
        batch.complete(indices.length);
    }

    private String exported(Export.Format format) throws IOException {
        Path output = folder.resolve("out");
        Export.write(Scan.of(dataset()).withThreads(1), format, output.toString(), true, null);
        return Files.readString(output);
    }

    @Test
    void jsonHasNull() throws IOException {
        assertEquals("""
                {"x":97,"pair":[97,97],"text":"a"}
                {"x":null,"pair":null,"text":null}
                {"x":0,"pair":[0,0],"text":""}
                """, exported(Export.Format.JSONL));
    }

    @Test
    void csvHasAnEmptyCellThatDiffersFromAnEmptyText() throws IOException {
        assertEquals("""
                x,pair[0],pair[1],text
                97,97,97,a
                ,,,
                0,0,0,""
                """, exported(Export.Format.CSV));
    }

    @Test
    void linesForPeopleSaySo() throws IOException {
        try (Batch batch = Batch.create(FIELDS)) {
            gather(new long[] {0, 1, 2}, batch);
            assertEquals(
                    "       1  x=(missing)  pair=(missing)  text=(missing)", RecordText.line(dataset(), 1, batch, 1));
            assertEquals("{\"x\":null,\"pair\":null,\"text\":null}", Json.text(RecordText.fields(batch, 1)));
        }
    }

    @Test
    void statisticsShowAColumnForThem() throws IOException {
        List<String> table = StatsText.table(Stats.of(Scan.of(dataset()).withThreads(1)));
        assertTrue(table.getFirst().contains("  count  missing  non-finite  "), table.getFirst());
        assertTrue(table.get(1).matches("  x +uint8 +2 +1 +0 +0 +97 .*"), table.get(1));
    }

    @Test
    void aNumPyFileCannotHaveThem() {
        String output = folder.resolve("out.npy").toString();
        Scan scan = Scan.of(dataset()).withThreads(1).withFields(FIELDS.subList(0, 2));
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class, () -> Export.write(scan, Export.Format.NPY, output, true, null));
        assertTrue(error.getMessage().startsWith("a value of field x is missing, but NumPy arrays cannot store"));
        assertTrue(Files.notExists(Path.of(output)));
    }
}
