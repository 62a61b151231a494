// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Runs that the original wrote are read as it reads them and written as it writes them.
final class RunGoldenTest {
    /// Runs that a strict reader refuses, and why.
    private static final Map<String, Reason> DEVIATING = Map.of(
            "runs/edge/meta-steps-too-few.a2run2", Reason.COUNT_MISMATCH,
            "runs/edge/meta-steps-too-many.a2run2", Reason.COUNT_MISMATCH,
            "runs/v1/moves-over-3.a2run", GameReason.BAD_MOVE);

    private static final Set<String> GAMES = Set.of("games", "real", "forever");

    private static Map<String, Object> expected() {
        return Golden.map(Golden.json(Golden.runs("expected.json")).get("runs"));
    }

    @Test
    void everyRunIsReadAndWrittenAgain() {
        int count = 0;
        for (Map.Entry<String, Object> entry : expected().entrySet()) {
            Path file = Golden.run(entry.getKey());
            byte[] bytes = Golden.bytes(file);
            List<Deviation> deviations = new ArrayList<>();
            Run run = RunDecoder.decodeLeniently(bytes, file, deviations);
            requireAsExpected(run, Golden.map(entry.getValue()), entry.getKey());
            Reason reason = DEVIATING.get(entry.getKey());
            if (reason == null) {
                assertEquals(List.of(), deviations, entry.getKey());
                assertArrayEquals(bytes, RunDecoder.encode(RunDecoder.decode(bytes, file), run.version()));
            } else {
                assertEquals(reason, deviations.getFirst().reason());
                DatasetException e =
                        assertThrows(DatasetException.class, () -> RunDecoder.decode(bytes, file), entry.getKey());
                assertEquals(reason, e.reason());
            }
            if (run.version() == RunVersion.V1) {
                assertArrayEquals(bytes, RunDecoder.encode(RunDecoder.decodeV1(bytes, file)));
            } else {
                assertArrayEquals(bytes, RunDecoder.encode(run, RunVersion.V2));
            }
            count++;
        }
        assertTrue(count > 40, "only " + count + " runs");
    }

    private static void requireAsExpected(Run run, Map<String, Object> expected, String name) {
        Map<String, Object> meta = Golden.map(expected.get("meta"));
        assertEquals(expected.get("format"), run.version().word(), name);
        assertEquals(
                meta.get("steps").toString(), Long.toUnsignedString(run.meta().steps()), name);
        assertEquals(
                meta.get("start_unix_s").toString(),
                Long.toUnsignedString(run.meta().startUnixS()),
                name);
        assertEquals(
                meta.get("elapsed_bits").toString(),
                Integer.toUnsignedString(run.meta().elapsedBits()),
                name);
        assertEquals(
                meta.get("max_score").toString(),
                Long.toUnsignedString(run.meta().maxScore()),
                name);
        assertEquals(
                meta.get("highest_tile").toString(), Long.toString(run.meta().highestTile()), name);
        assertEquals(meta.get("engine"), run.meta().engine(), name);
        assertEquals(expected.get("step_count"), (long) run.stepCount(), name);
        if (expected.get("first_board") != null) {
            assertEquals(expected.get("first_board"), Board.text(run.board(0)), name);
        }
        assertEquals(expected.get("final_board"), Board.text(run.finalBoard()), name);
        if (run.stepCount() > 0 && expected.get("first_step") != null) {
            requireStep(run.step(0), Golden.list(expected.get("first_step")), name);
            requireStep(run.step(run.stepCount() - 1), Golden.list(expected.get("last_step")), name);
        }
        long withBranches =
                run.steps().stream().filter(step -> step.branches() != null).count();
        assertEquals(expected.getOrDefault("steps_with_branches", withBranches), withBranches, name);
    }

    private static void requireStep(Step step, List<Object> expected, String name) {
        assertEquals(expected.get(0), Board.text(step.preBoard()), name);
        assertEquals(
                Math.min((long) expected.get(1), 255) % 256 > 3 ? 0L : expected.get(1),
                (long) step.chosen().code(),
                name);
        if (expected.size() < 3 || expected.get(2) == null) {
            assertEquals(null, step.branches(), name);
            return;
        }
        for (Move move : Move.values()) {
            Object bits = Golden.list(expected.get(2)).get(move.code());
            assertEquals(bits != null, step.branches().isLegal(move), name);
            assertEquals(
                    bits == null ? 0 : (int) Golden.hex(bits), step.branches().valueBits()[move.code()], name);
        }
    }

    @Test
    void gamesFollowTheRules() {
        int count = 0;
        for (String name : expected().keySet()) {
            if (GAMES.contains(name.split("/")[1])) {
                Path file = Golden.run(name);
                assertEquals(List.of(), Replay.check(RunDecoder.decode(Golden.bytes(file), file)), name);
                count++;
            }
        }
        assertTrue(count > 10, "only " + count + " games");
    }

    @Test
    void theBytesOfTheSpecificationAreWritten() {
        Run one = Run.of(
                RunMeta.of(1, 1700000000, 1, 100, 4, null),
                List.of(new Step(0x1000_0000_0000_0000L, Move.UP, null)),
                0x2000_0000_0000_0000L);
        assertEquals(
                "0180e2cfaa060000803f640400018080808080808080100000808080808080808020",
                HexFormat.of().formatHex(RunDecoder.encode(one, RunVersion.V2)));
        RunV1 two = new RunV1(
                RunMeta.of(2, 1700000000, 12.34f, 12345, 2048, "test-engine"),
                new long[] {0, 0x1000_0000_0000_0000L, 0x1100_0000_0000_0000L},
                new byte[] {2, 0});
        assertEquals(
                "4132543101000200000000f1536500000000a47045413930000000000000000800000b00746573742d656e67696e65"
                        + "00000000000000000000000000000010000000000000001102006626fd01",
                HexFormat.of().formatHex(RunDecoder.encode(two)));
    }

    @Test
    void theOldFormIsUpgradedAsTheOriginalDoes() {
        int count = 0;
        for (String name : List.of(
                "case-7a",
                "engine-empty-string",
                "engine-unicode",
                "limits",
                "moves-over-3",
                "one-step",
                "zero-steps")) {
            byte[] old = Golden.bytes(Golden.runs("v1/" + name + ".a2run"));
            RunV1 run = RunDecoder.decodeV1(old, Path.of(name));
            byte[] expected = Golden.bytes(Golden.runs("migrated/" + name + ".a2run2"));
            assertArrayEquals(expected, RunDecoder.encode(run.upgrade(), RunVersion.V2), name);
            count++;
        }
        assertEquals(7, count);
    }

    @Test
    void theRealRunIsReadWholeAndFollowsTheRules() throws IOException {
        Path file = Golden.extra("example.a2run2");
        assumeTrue(file != null, "needs PENSTOCK_EXTRA_DATA/example.a2run2");
        Run run = RunFile.read(file);
        assertArrayEquals(Golden.bytes(file), RunDecoder.encode(run, RunVersion.V2));
        assertEquals(new RunMeta(959, 1755927754, 0x417426d3, 20504, 2048, null), run.meta());
        assertEquals(959, run.stepCount());
        assertEquals(0x100100010232001bL, run.finalBoard());
        assertEquals(20504, Board.score(run.finalBoard()));
        assertEquals(List.of(), Replay.check(run));
    }
}
