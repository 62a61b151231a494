// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every command that reads text decides about types and missing values by the rule of `docs/convert.md`.
final class TextRulesTest {
    private static final String STORED = """
            {"i":1,"x":0.5,"t":"a"}
            {"i":null,"x":null,"t":null}
            {"i":3,"x":1.5,"t":""}
            """;
    private static final String ROWS = """
            {"i":1.0,"x":0.5,"t":"a"}
            {"i":"NaN","x":"NaN","t":""}
            {"i":3.0,"x":1.5,"t":""}
            """;

    @TempDir
    Path folder;

    private Path csv;
    private Path json;

    @BeforeEach
    void writeText() throws IOException {
        csv = file("in.csv", "i,x,t\n1,0.5,a\n,,\n3,1.5,\"\"\n");
        json = file("in.jsonl", "{\"i\":1,\"x\":0.5,\"t\":\"a\"}\n{\"t\":null}\n{\"i\":3,\"x\":1.5,\"t\":\"\"}\n");
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static CommandRun fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static void failing(String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(1, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
    }

    private static void mistaken(String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
    }

    private String exported(Path dataset) throws IOException {
        Path lines = folder.resolve("out.jsonl");
        fine("export", dataset, "--format", "jsonl", "-o", lines, "--overwrite");
        return Files.readString(lines);
    }

    @Test
    void emptyCellsAreMissingInAStore() throws IOException {
        Path declared = folder.resolve("declared");
        fine("store", "create", declared, "--field", "i:i8:scalar", "--field", "x:f8:scalar", "--field", "t:utf8");
        for (Path text : List.of(csv, json)) {
            Path guessed = folder.resolve(text.getFileName() + ".store");
            fine("convert", text, guessed);
            assertEquals(STORED, exported(guessed), text.toString());
            fine("store", "append", declared, "--input", text);
        }
        assertEquals(STORED + STORED, exported(declared));
    }

    @Test
    void emptyCellsAreNotANumberOrEmptyTextInATable() throws IOException {
        for (Path text : List.of(csv, json)) {
            Path converted = folder.resolve(text.getFileName() + ".1.npy");
            Path written = folder.resolve(text.getFileName() + ".2.npy");
            fine("convert", text, converted);
            fine("table", "write", "--input", text, "--output", written);
            fine("table", "append", written, "--input", text);
            assertEquals(ROWS, exported(converted), text.toString());
            assertEquals(ROWS + ROWS, exported(written), text.toString());
        }
    }

    @Test
    void valuesThatATableCannotMissAreNamed() throws IOException {
        Path truth = file("truth.csv", "n,ok\n1,true\n2,\n");
        Path lines = file("truth.jsonl", "{\"ok\":true}\n{}\n");
        Path target = folder.resolve("x.npy");
        String advice = "the value is missing, but a field of bool must have one here; fill it in, leave the field out";
        for (Path text : List.of(truth, lines)) {
            failing(advice, "convert", text, target);
            failing(advice, "table", "write", "--input", text, "--output", target);
        }
        failing("line 3, column ok: " + advice, "convert", truth, target);
        failing(
                "line 3, column n: the value is missing, but a field of i32 must have one",
                "table",
                "write",
                "--input",
                file("whole.csv", "n\n1\n\n"),
                "--output",
                target,
                "--dtype",
                "[('n','<i4')]");
        failing(
                "column n: some values are missing, and others are integers that a float does not hold exactly",
                "convert",
                file("big.csv", "n,m\n9007199254740993,1\n,2\n"),
                target);
    }

    @Test
    void aFileOfAnotherNameIsCsvForATable() throws IOException {
        Path text = Files.copy(csv, folder.resolve("rows.txt"));
        Path table = folder.resolve("t.npy");
        fine("table", "write", "--input", text, "--output", table);
        assertEquals(ROWS, exported(table));
    }

    @Test
    void aTableOfMostlyPaddingIsRefusedWithItsCost() throws IOException {
        StringBuilder lines = new StringBuilder();
        StringBuilder cells = new StringBuilder("t\n");
        for (int i = 0; i < 3000; i++) {
            lines.append("{\"t\":\"short\"}\n");
            cells.append("short\n");
        }
        String longest = "x".repeat(50_000);
        file("uneven.jsonl", lines + "{\"t\":\"" + longest + "\"}\n");
        file("uneven.csv", cells + longest + "\n");
        for (String name : List.of("uneven.jsonl", "uneven.csv")) {
            Path source = folder.resolve(name);
            for (Object[] words : new Object[][] {
                {"convert", source, folder.resolve("t.npy")},
                {"table", "write", "--input", source, "--output", folder.resolve("t.npy")}
            }) {
                failing(
                        "field t: the longest of 3,001 texts has 50,000 characters, and the mean is 21; a table pads",
                        words);
                failing("takes 600 MB for 65 KB of text; convert to a store", words);
                assertTrue(Files.notExists(folder.resolve("t.npy")));
            }
            fine("convert", source, folder.resolve(name + ".store"));
        }
    }

    @Test
    void givenTypesComeBeforeGuessedOnes() throws IOException {
        Path people = file("people.csv", "zip,age,x[0],x[1]\n02134,7,1,2\n10115,,3,4\n");
        Path lines =
                file("people.jsonl", "{\"zip\":\"02134\",\"age\":7,\"x\":[1,2]}\n{\"zip\":\"10115\",\"x\":[3,4]}\n");
        for (Path source : List.of(people, lines)) {
            Path store = folder.resolve(source.getFileName() + ".store");
            fine("convert", source, store, "--field", "zip:utf8", "--field", "age:u1", "--field", "x:f4");
            try (Dataset made = Catalog.open(store)) {
                assertEquals(
                        List.of(ElementType.UTF8, ElementType.U8, ElementType.F32),
                        made.fields().stream().map(Field::type).toList());
                assertEquals(List.of(2L), made.fields().get(2).shape());
            }
            assertTrue(exported(store).contains("02134"), exported(store));
            Path table = folder.resolve(source.getFileName() + ".npy");
            fine("convert", source, table, "--field", "zip:utf8", "--field", "zip");
            assertTrue(exported(table).contains("02134"), exported(table));
            mistaken("has no field zap, for which a type is given", "convert", source, table, "--field", "zap:utf8");
            failing("must have one here", "convert", source, folder.resolve("n.npy"), "--field", "age:u1");
            failing("line", "convert", source, folder.resolve("n.npy"), "--fields", "zip", "--field", "zip:u1");
            mistaken("--field takes one field", "convert", source, table, "--field", "zip", "--field", "age");
            mistaken("two types", "convert", source, table, "--field", "zip:u1", "--field", "zip:u2");
        }
        Path table = folder.resolve("people.csv.npy");
        mistaken(
                "is a dataset, whose types are stored in it",
                "convert",
                table,
                folder.resolve("y.npy"),
                "--field",
                "zip:f4");
        mistaken("types of datasets are stored", "merge", table, "-o", folder.resolve("y.npy"), "--field", "zip:f4");
        mistaken("types of datasets are stored", "sample", table, "-n", "1", "--field", "zip:f4");
    }
}
