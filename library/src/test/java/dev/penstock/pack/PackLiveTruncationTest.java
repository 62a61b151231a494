// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.ChildJava;
import dev.penstock.file.Codec;
import dev.penstock.pack.ShortenedPack.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Another program shortens the file of an open pack whose reading code is compiled. The read raises an error, and
/// the process survives.
@ExtendWith(Seeds.class)
@Tag("full")
class PackLiveTruncationTest {
    private static final int RECORD_COUNT = 240;
    private static final int RECORD_SIZE = 9000;

    /// The sizes after the cut: before the index, inside its first page, between names and data, in the data.
    enum Cut {
        ALL,
        INDEX,
        DATA
    }

    record Scenario(Way way, Access access, int threads, boolean isChecking, Codec codec, Cut cut) {}

    /// One pack after another in one process; with the long form of the tests, each in a process of its own.
    static Stream<List<Scenario>> scenarios() {
        List<Scenario> some = List.of(
                new Scenario(Way.GATHER, Access.MMAP, 1, true, Codec.NONE, Cut.DATA),
                new Scenario(Way.GATHER, Access.MMAP, 2, false, Codec.NONE, Cut.ALL),
                new Scenario(Way.GATHER, Access.MMAP, 2, true, Codec.ZSTD, Cut.DATA),
                new Scenario(Way.GATHER_FEW, Access.MMAP, 1, false, Codec.NONE, Cut.DATA),
                new Scenario(Way.READ, Access.MMAP, 1, false, Codec.NONE, Cut.DATA),
                new Scenario(Way.READ, Access.MMAP, 1, true, Codec.LZ4, Cut.INDEX),
                new Scenario(Way.GET, Access.MMAP, 1, true, Codec.NONE, Cut.DATA),
                new Scenario(Way.ENTRY, Access.MMAP, 1, true, Codec.NONE, Cut.ALL),
                new Scenario(Way.SCAN, Access.MMAP, 2, true, Codec.NONE, Cut.DATA),
                new Scenario(Way.VERIFY, Access.MMAP, 2, true, Codec.NONE, Cut.DATA),
                new Scenario(Way.NAME, Access.MMAP, 1, true, Codec.NONE, Cut.ALL),
                new Scenario(Way.FINGERPRINT, Access.MMAP, 1, true, Codec.NONE, Cut.ALL),
                new Scenario(Way.GATHER, Access.READ, 2, true, Codec.NONE, Cut.DATA));
        return TestData.isLong() ? all().stream().map(List::of) : Stream.of(some);
    }

    private static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int variant = 0; variant < 8; variant++) {
                boolean isChecking = (variant & 1) == 0;
                Codec codec = (variant & 2) == 0 ? Codec.NONE : Codec.ZSTD;
                int threads = 1 + (variant >> 2);
                for (Cut cut : Cut.values()) {
                    if (touches(way, isChecking, codec, cut)) {
                        all.add(new Scenario(way, Access.MMAP, threads, isChecking, codec, cut));
                    }
                }
            }
        }
        return all;
    }

    /// Whether the way of reading goes to bytes that the cut takes away.
    private static boolean touches(Way way, boolean isChecking, Codec codec, Cut cut) {
        return switch (way) {
            case GET -> cut != Cut.DATA || isChecking || codec != Codec.NONE;
            case ENTRY, FINGERPRINT, NAME -> cut == Cut.ALL;
            default -> true;
        };
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void aReadOfAShortenedFileIsRefusedByTheCallItself(List<Scenario> scenarios, @TempDir Path folder)
            throws Exception {
        List<String> arguments = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            arguments.add(argument(scenario, folder.resolve("shortened" + arguments.size() + ".a2pack")));
        }
        List<String> command = ChildJava.command(folder, ShortenedPack.class, arguments.toArray());
        ChildJava.Result result = ChildJava.run(folder, command);
        assertFalse(Files.exists(ChildJava.crashReport(folder)), "the Java runtime died");
        assertEquals(ShortenedPack.EXIT_REFUSED, result.exitCode(), result::output);
    }

    /// Writes the pack, and returns the argument of [ShortenedPack] for it.
    private static String argument(Scenario scenario, Path file) throws IOException {
        Packs.write(file, Packs.options().withCodec(scenario.codec, 0), records(), null, false);
        long cutSize = switch (scenario.cut) {
            case ALL -> 0;
            case INDEX -> 100;
            case DATA -> Files.size(file) / 4;
        };
        return Stream.of(scenario.way, scenario.access, scenario.threads, scenario.isChecking, cutSize, file.toString())
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    /// Half of each record can be compressed.
    private static List<PackRecord> records() {
        Random random = Seeds.random();
        List<PackRecord> records = new ArrayList<>();
        for (int i = 0; i < RECORD_COUNT; i++) {
            byte[] bytes = new byte[RECORD_SIZE];
            random.nextBytes(bytes);
            Arrays.fill(bytes, 0, RECORD_SIZE / 2, (byte) i);
            records.add(PackRecord.of(bytes).named("record " + i));
        }
        return records;
    }
}
