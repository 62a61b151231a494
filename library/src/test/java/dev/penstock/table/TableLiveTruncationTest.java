// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import dev.penstock.table.ShortenedTable.Way;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Another program shortens the file of an open table whose reading code is compiled. The read raises an error,
/// and the process survives. Every size has a loop of its own, with vector instructions and without.
@Tag("full")
class TableLiveTruncationTest {
    /// On both sides of every border between two loops.
    private static final List<Integer> SIZES = List.of(
            1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 500, 1024, 1500,
            5000);

    private static final List<Integer> SOME_SIZES = List.of(3, 12, 32, 48, 100, 2000);

    private static final List<Integer> FEW_SIZES = List.of(3, 48, 2000);

    private static final List<Integer> MANY_BYTES = List.of(16, 20, 32, 40, 64, 65, 200, 1000);

    private static final List<String> SCALAR_LOOPS =
            List.of("copy1", "copy2", "copy4", "copy8", "copyTwo8", "copyFour8", "copyBlocks");

    private static final List<String> VECTOR_LOOPS =
            List.of("copy16", "copyTwo16", "copy32", "copyTwo32", "copyFour32");

    /// One way of reading after another, in one process.
    record Scenario(List<Reads> reads, boolean hasVectors, List<String> flags) {
        Scenario(Way way, boolean hasVectors, List<Integer> sizes, int warmCalls, List<String> flags) {
            this(List.of(new Reads(way, warmCalls, sizes)), hasVectors, flags);
        }
    }

    record Reads(Way way, int warmCalls, List<Integer> sizes) {
        /// The arguments of [ShortenedTable].
        String argument() {
            return way + " " + warmCalls + " "
                    + String.join(" ", sizes.stream().map(String::valueOf).toList());
        }
    }

    static Stream<Scenario> scenarios() {
        List<Scenario> scenarios = new ArrayList<>();
        for (boolean hasVectors : new boolean[] {true, false}) {
            scenarios.add(new Scenario(Way.GATHER, hasVectors, SIZES, 250, List.of("-Xbatch")));
        }
        // While the loops are interpreted, or compiled in part, and what they call is compiled.
        scenarios.add(new Scenario(Way.READ, true, MANY_BYTES, 3, List.of("-Xbatch")));
        scenarios.add(
                new Scenario(Way.READ, true, MANY_BYTES, 20, List.of("-XX:CompileCommand=exclude,*RowCopy::copy*")));
        scenarios.add(new Scenario(Way.GATHER, true, MANY_BYTES, 60, List.of("-XX:PerMethodTrapLimit=0")));
        scenarios.add(new Scenario(Way.GATHER_TWO, true, List.of(800, 1100), 300, List.of("-Xbatch")));
        // The file of each way is cut when its code is compiled. The first fault, after which a process uses no vectors
        // any more, is that of a row which is too small for them.
        List<Reads> others = List.of(
                new Reads(Way.GATHER_LAST, 250, FEW_SIZES),
                new Reads(Way.GATHER_FEW, 6_000, FEW_SIZES),
                new Reads(Way.GATHER_NESTED, 250, FEW_SIZES),
                new Reads(Way.READ_HEAP, 250, FEW_SIZES),
                new Reads(Way.GET, 12_000, List.of(1, 500)),
                new Reads(Way.COLUMN, 24_000, List.of(1, 500)),
                new Reads(Way.VERIFY, 50, List.of(40)),
                new Reads(Way.FINGERPRINT, 500, List.of(40)));
        scenarios.add(new Scenario(others, true, List.of("-Xbatch")));
        // Alone, because after the first fault a process uses no vectors any more.
        for (int size : new int[] {16, 24, 48, 96}) {
            scenarios.add(new Scenario(Way.GATHER, true, List.of(size), ShortenedTable.UNTIL_VECTORS, List.of()));
        }
        scenarios.add(new Scenario(Way.READ, true, List.of(32), ShortenedTable.UNTIL_VECTORS, List.of()));
        scenarios.add(new Scenario(Way.POSITIONAL, true, List.of(8, 40), 50, List.of()));
        return TestData.isLong() ? Stream.concat(scenarios.stream(), deep().stream()) : scenarios.stream();
    }

    /// Every way with every size, by one compiler or the other, and with compiled code that comes late.
    private static List<Scenario> deep() {
        List<Scenario> deep = new ArrayList<>();
        deep.add(new Scenario(Way.GATHER_LAST, false, SOME_SIZES, 250, List.of("-Xbatch")));
        deep.add(new Scenario(Way.READ, true, SOME_SIZES, 1000, List.of()));
        List<List<String>> flags = List.of(
                List.of(),
                List.of("-XX:TieredStopAtLevel=1"),
                List.of("-XX:-TieredCompilation", "-Xbatch"),
                List.of("-Xint"));
        for (Way way : Way.values()) {
            for (List<String> flag : way == Way.UNSAFE ? List.<List<String>>of() : flags) {
                int warmCalls = flag.contains("-Xint") ? 2 : way == Way.VERIFY ? 20 : 300;
                deep.add(new Scenario(way, true, SIZES, warmCalls, flag));
                deep.add(new Scenario(way, false, SOME_SIZES, warmCalls, flag));
            }
        }
        return deep;
    }

    private static ChildJava.Result run(Scenario scenario, Path folder) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of(folder));
        scenario.reads.forEach(reads -> arguments.add(reads.argument()));
        List<String> command = ChildJava.command(folder, ShortenedTable.class, arguments.toArray());
        command.add(1, "-XX:+PrintCompilation");
        command.addAll(1, scenario.flags);
        if (scenario.hasVectors) {
            command.add(1, "--add-modules=jdk.incubator.vector");
        }
        return ChildJava.run(folder, command);
    }

    /// The output of the program, without the lines of the compiler.
    private static String said(ChildJava.Result result) {
        return String.join(
                "\n",
                result.output()
                        .lines()
                        .filter(line -> !line.matches("\\s*\\d+ +\\d+ .*"))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void aReadOfAShortenedFileIsRefusedByTheCallItself(Scenario scenario, @TempDir Path folder) throws Exception {
        ChildJava.Result result = run(scenario, folder);
        assertFalse(Files.exists(ChildJava.crashReport(folder)), () -> "the Java runtime died\n" + said(result));
        assertEquals(ShortenedTable.EXIT_REFUSED, result.exitCode(), () -> said(result));
        boolean isGather = scenario.reads.getFirst().way == Way.GATHER;
        if (isGather && scenario.flags.equals(List.of("-Xbatch"))) {
            requireCompiled(scenario.hasVectors, result.output());
        }
        Figures.print(
                "table, files shortened while they were read",
                scenario.reads.stream().mapToInt(reads -> reads.sizes.size()).sum());
    }

    /// The test is meaningful only if the optimising compiler has compiled each loop.
    private static void requireCompiled(boolean hasVectors, String output) {
        List<String> missing = new ArrayList<>();
        for (String loop : SCALAR_LOOPS) {
            boolean isUsed = !hasVectors || !loop.equals("copyFour8");
            if (isUsed && !isCompiled(output, "ScalarRowCopy::" + loop)) {
                missing.add(loop);
            }
        }
        for (String loop : hasVectors ? VECTOR_LOOPS : List.<String>of()) {
            if (!isCompiled(output, "VectorRowCopy::" + loop)) {
                missing.add(loop);
            }
        }
        assertEquals(List.of(), missing);
    }

    private static boolean isCompiled(String output, String method) {
        Pattern line = Pattern.compile(" 4 +dev\\.penstock\\.rows\\.kernel\\." + method + " ");
        return line.matcher(output).find();
    }

    /// The file is cut at any moment, also while rows are copied and while the code is not compiled yet. The long
    /// form of the tests cuts more files.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileMayBeShortenedWhileItIsGathered(boolean hasVectors, @TempDir Path folder) throws Exception {
        long seed = Seeds.random().nextLong();
        List<String> command = ChildJava.command(folder, CutTable.class, folder, TestData.isLong() ? 1000 : 9, seed);
        if (hasVectors) {
            command.add(1, "--add-modules=jdk.incubator.vector");
        }
        ChildJava.Result result = ChildJava.run(folder, command);
        assertFalse(Files.exists(ChildJava.crashReport(folder)), () -> "the Java runtime died\n" + said(result));
        assertEquals(0, result.exitCode(), () -> "seed " + seed + ": " + said(result));
        assertTrue(result.output().matches("(?s).*\\d+ gathers, [1-9]\\d* refused\\s*"), result.output());
    }

    /// The planted bug: a way of reading that does end the process is seen to do so.
    @Test
    void anUnsafeReadIsNoticed(@TempDir Path folder) throws Exception {
        Scenario scenario = new Scenario(Way.UNSAFE, false, List.of(5000), 20, List.of());
        ChildJava.Result result = run(scenario, folder);
        assertTrue(result.exitCode() != ShortenedTable.EXIT_REFUSED);
        assertTrue(Files.exists(ChildJava.crashReport(folder)), result.output());
    }

    @Test
    void theSizesMeetEveryLoop() {
        assertTrue(SIZES.containsAll(Arrays.asList(1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129)));
    }
}
