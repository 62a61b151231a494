// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The inputs of `store append`: which values are converted, and which are missing or empty.
final class StoreInputsTest {
    @TempDir
    Path folder;

    private static CommandRun fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static void failing(int exitCode, String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(exitCode, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path store(String name, String... fields) {
        Path store = folder.resolve(name);
        Object[] words = new Object[3 + 2 * fields.length];
        words[0] = "store";
        words[1] = "create";
        words[2] = store;
        for (int i = 0; i < fields.length; i++) {
            words[3 + 2 * i] = "--field";
            words[4 + 2 * i] = fields[i];
        }
        fine(words);
        return store;
    }

    private Path array(String dtype, String text) throws IOException {
        Path array = folder.resolve("array.npy");
        fine("table", "write", "--input", file("array.csv", text), "--output", array, "--dtype", dtype, "--overwrite");
        return array;
    }

    @Test
    void numbersGetATypeThatHoldsThemAll() throws IOException {
        Path store = store("numbers", "whole:int64:scalar", "real:f4:scalar", "small:f2", "flag:u1:scalar");
        String[][] held = {
            {"<i4", "whole", "-7\n2147483647\n", "[-7,2147483647]"},
            {"<u4", "whole", "4294967295\n", "[4294967295]"},
            {"<i2", "real", "-32768\n", "[-32768.0]"},
            {"<f2", "real", "0.5\n", "[0.5]"},
            {"|u1", "small", "255\n", "[[255.0]]"},
            {"|b1", "flag", "1\n0\n", "[1,0]"}
        };
        for (String[] one : held) {
            long before = count(store);
            fine("store", "append", store, "--input", one[1] + "=" + array(one[0], one[2]));
            StringBuilder values = new StringBuilder("[");
            for (long index = before; index < count(store); index++) {
                Map<?, ?> record = (Map<?, ?>)
                        Json.parse(fine("store", "get", store, index, "--json").outBytes());
                values.append(values.length() > 1 ? "," : "").append(Json.text(record.get(one[1])));
            }
            assertEquals(one[3], values + "]", one[0] + " to " + one[1]);
        }
        for (String[] lossy : new String[][] {
            {"<f8", "whole"}, {"<u8", "whole"}, {"<i4", "real"}, {"<f8", "real"}, {"<i2", "small"}, {"|i1", "flag"}
        }) {
            failing(
                    2,
                    "only to a type that holds all of theirs",
                    "store",
                    "append",
                    store,
                    "--input",
                    lossy[1] + "=" + array(lossy[0], "1\n"));
        }
    }

    private static long count(Path store) {
        return (long) ((Map<?, ?>) Json.parse(fine("info", store, "--json").outBytes())).get("records");
    }

    @Test
    void textOfNumPyBecomesUtf8() throws IOException {
        Path text = store("text", "t:utf8");
        Path bytes = store("bytes", "b");
        Path array = array("<U5", "é\nabcde\n");
        fine("store", "append", text, "--input", array);
        fine("store", "append", bytes, "--input", array);
        assertEquals("é", fine("store", "get", text, 0, "--field", "t").out());
        assertEquals("abcde", fine("store", "get", bytes, 1, "--field", "b").out());
    }

    @Test
    void anExportAsCsvComesBackWithEmptyAndMissingValues() throws IOException {
        Path store = store("one", "v:utf8");
        fine("store", "append", store, "--input", file("one.jsonl", "{\"v\":\"a\"}\n{}\n{\"v\":\"\"}\n{}\n"));
        Path csv = folder.resolve("one.csv");
        fine("export", store, "--format", "csv", "--output", csv);
        Path copy = store("copy", "v:utf8");
        fine("store", "append", copy, "--input", csv);
        assertEquals(
                fine("store", "get", store, "0-3", "--json").out(),
                fine("store", "get", copy, "0-3", "--json").out());
        assertEquals(4, count(copy));
    }

    @Test
    void emptyLinesAndQuotesAreNoValuesOfNumbers() throws IOException {
        Path store = store("two", "n:i4:scalar", "list:i4", "t:utf8");
        fine("store", "append", store, "--input", file("two.csv", "n,list,t\n\"\",\"\",x\n\n1,2 3,\n"));
        assertEquals(
                "0  n=(missing)  list=[]  t=x\n1  n=1  list=[2 3]  t=(missing)\n",
                fine("store", "get", store, "0-1").out());
        assertEquals(2, count(store), "an empty line between records of several columns is no record");
    }

    @Test
    void aColumnThatNoFieldTakesIsRefused() throws IOException {
        Path store = store("some", "n:i4:scalar", "m:i4:scalar");
        Path csv = file("some.csv", "n,other\n1,2\n");
        failing(1, "the column 'other' is not a field of the target", "store", "append", store, "--input", csv);
        fine("store", "append", store, "--input", "n=" + csv);
        assertEquals("0  n=1  m=(missing)\n", fine("store", "get", store, 0).out());
        Path twice = file("twice.csv", "n,n\n1,2\n");
        failing(1, "occurs twice", "store", "append", store, "--input", twice);
    }

    @Test
    void aLineOfJsonMayBeLarge() throws IOException {
        Path store = store("large", "v");
        fine("store", "append", store, "--input", file("large.jsonl", "{\"v\":\"" + "x".repeat(9 << 20) + "\"}\n"));
        assertEquals(9 << 20, fine("store", "get", store, 0, "--field", "v").outBytes().length);
    }

    @Test
    void namesOfTypesAreThoseOfNumPy() {
        Path store = store("types", "a:i8:scalar", "b:u1:(2,3)", "c:f32:[2]", "d:?:scalar", "e:f16");
        assertTrue(fine("info", store).out().contains("field a          int64\n"));
        assertTrue(fine("info", store).out().contains("field b          uint8 [2, 3]\n"));
        assertTrue(fine("info", store).out().contains("field c          float32 [2]\n"));
        assertTrue(fine("info", store).out().contains("field d          bool\n"));
        assertTrue(fine("info", store).out().contains("field e          float16, variable\n"));
    }

    @Test
    void deletedAndMissingRecordsAreNamed() throws IOException {
        Path store = store("gone", "v");
        fine("store", "append", store, "--input", file("gone.jsonl", "{\"v\":\"a\"}\n{}\n{\"v\":\"b\"}\n"));
        fine("store", "delete", store, "--indices", "2");
        assertEquals("a", fine("get", store, 0).out());
        failing(2, "record 1 has no value", "get", store, 1);
        failing(2, "record 2 was deleted", "get", store, 2);
        assertEquals(
                "{\"index\":2,\"size\":0,\"v\":null,\"deleted\":true}\n",
                fine("get", store, 2, "--json").out());
    }
}
