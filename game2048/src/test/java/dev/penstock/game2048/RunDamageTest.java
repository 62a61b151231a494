// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/// Damaged runs get the answer of the original, or a stricter one.
final class RunDamageTest {
    /// Inputs that the original reads as an empty run with bytes behind it, or as version 2 in spite of the magic.
    private static final Set<String> REFUSED_HERE_ONLY = Set.of("zeros-64", "pack-magic", "npy-magic");

    private static DatasetException refusal(byte[] bytes, boolean isLenient) {
        return assertThrows(DatasetException.class, () -> {
            if (isLenient) {
                RunDecoder.decodeLeniently(bytes, Path.of("x"), new ArrayList<>());
            } else {
                RunDecoder.decode(bytes, Path.of("x"));
            }
        });
    }

    @Test
    void damagedRunsGetTheAnswerOfTheOriginal() {
        int accepted = 0;
        int refused = 0;
        for (Map.Entry<String, Object> entry :
                Golden.json(Golden.runs("bad/runs.json")).entrySet()) {
            byte[] bytes = Golden.bytes(Golden.runs("bad/runs/" + entry.getKey()));
            Map<String, Object> answer = Golden.map(entry.getValue());
            boolean isV1 = new String(bytes, 0, Math.min(4, bytes.length)).equals("A2T1");
            Map<String, Object> ours = Golden.map(answer.get(isV1 ? "v1" : "v2"));
            boolean isNoSteps = !isV1
                    && ours.containsKey("ok")
                    && Golden.map(ours.get("ok")).get("count").equals(0L)
                    && !Boolean.TRUE.equals(ours.get("reencoded_same"));
            if (ours.containsKey("ok") && !isNoSteps) {
                Map<String, Object> result = Golden.map(ours.get("ok"));
                List<Deviation> deviations = new ArrayList<>();
                Run run = RunDecoder.decodeLeniently(bytes, Path.of("x"), deviations);
                assertEquals(
                        isV1 ? Golden.list(result.get("states")).getLast() : result.get("final"),
                        Board.text(run.finalBoard()),
                        entry.getKey());
                Object isSame = isV1 ? result.get("reencoded_v1_same") : ours.get("reencoded_same");
                if (Boolean.FALSE.equals(isSame)) {
                    assertFalse(deviations.isEmpty(), entry.getKey());
                    refusal(bytes, false);
                }
                accepted++;
            } else {
                DatasetException e = refusal(bytes, true);
                assertEquals(e.reason(), refusal(bytes, false).reason(), entry.getKey());
                refused++;
            }
            assertTrue(!REFUSED_HERE_ONLY.contains(entry.getKey()) || isNoSteps, entry.getKey());
        }
        assertTrue(accepted > 10 && refused > 30, accepted + " accepted, " + refused + " refused");
    }

    @Test
    void everyPrefixOfARunIsRefused() {
        byte[] bytes = Golden.bytes(Golden.runs("edge/three-steps.a2run2"));
        for (int size = 0; size < bytes.length; size++) {
            byte[] prefix = Arrays.copyOf(bytes, size);
            refusal(prefix, true);
            assertEquals(Reason.TRUNCATED, refusal(prefix, false).reason(), "prefix of " + size);
        }
        byte[] old = Golden.bytes(Golden.runs("v1/case-7a.a2run"));
        for (int size = 0; size < old.length; size++) {
            refusal(Arrays.copyOf(old, size), true);
        }
    }

    @Test
    void everyBitFlipOfTheOldFormIsRefused() {
        byte[] bytes = Golden.bytes(Golden.runs("v1/case-7a.a2run"));
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            refusal(damaged, true);
            refusal(damaged, false);
        }
    }

    /// The number of damaged runs that a reader treats wrongly: each bit flipped, and some bytes behind the end.
    private static int faultCount(BiFunction<byte[], Path, Run> strict) {
        byte[] bytes = Golden.bytes(Golden.runs("edge/branches-mixed.a2run2"));
        int count = 0;
        for (int bit = 0; bit < (bytes.length + 1) * 8; bit++) {
            byte[] damaged = Arrays.copyOf(bytes, bytes.length + (bit / 8 == bytes.length ? 1 : 0));
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                RunProbe.isRefused(damaged, strict);
            } catch (AssertionError | IndexOutOfBoundsException e) {
                count++;
            }
        }
        return count;
    }

    @Test
    void theSweepCatchesReadersThatAreWrong() {
        assertEquals(0, faultCount(RunDecoder::decode));
        BiFunction<byte[], Path, Run> ignoresDeviations =
                (bytes, file) -> RunDecoder.decodeLeniently(bytes, file, new ArrayList<>());
        assertTrue(faultCount(ignoresDeviations) > 0, "a strict reader that accepts deviations was not caught");
        BiFunction<byte[], Path, Run> trustsTheLength = (bytes, file) -> {
            if (bytes[bytes.length - 1] < 0) {
                throw new IndexOutOfBoundsException(bytes.length);
            }
            return RunDecoder.decode(bytes, file);
        };
        assertTrue(faultCount(trustsTheLength) > 0, "a reader that leaves the array was not caught");
        Run other = RunDecoder.decode(Golden.bytes(Golden.runs("edge/three-steps.a2run2")), Path.of("y"));
        BiFunction<byte[], Path, Run> mixesRunsUp = (bytes, file) -> {
            RunDecoder.decode(bytes, file);
            return other;
        };
        assertTrue(faultCount(mixesRunsUp) > 0, "a reader that returns another run was not caught");
    }

    /// Version 2 has no checksum: a flipped bit is another run, which is written as it was read, or is refused.
    @Test
    void everyBitFlipOfTheNewFormIsAnotherRunOrRefused() {
        int refused = 0;
        for (String name : List.of("three-steps", "all-branch-combinations", "branches-mixed", "engine-unicode")) {
            byte[] bytes = Golden.bytes(Golden.runs("edge/" + name + ".a2run2"));
            for (int bit = 0; bit < bytes.length * 8; bit++) {
                byte[] damaged = bytes.clone();
                damaged[bit / 8] ^= (byte) (1 << bit % 8);
                refused += RunProbe.isRefused(damaged) ? 1 : 0;
            }
        }
        assertTrue(refused > 1000, "only " + refused + " refused");
    }

    @Test
    void bytesOfAnyKindAreRunsOrRefused() {
        Random random = new Random(2048);
        byte[] game = Golden.bytes(Golden.runs("real/tile-256.a2run2"));
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = Arrays.copyOf(game, random.nextInt(game.length));
            for (int k = random.nextInt(4); k >= 0; k--) {
                if (bytes.length > 0) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
            }
            RunProbe.isRefused(bytes);
        }
    }

    @Test
    void otherFilesAreNamed() {
        assertEquals(
                "x: this is a pack of runs, not a single run (byte 0)",
                refusal(Golden.bytes(Golden.pack("packs/three-align1.a2pack")), true)
                        .getMessage());
        assertEquals(
                "x: this is a NumPy array, not a single run (byte 0)",
                refusal(Golden.bytes(Golden.root().resolve("table/f4.npy")), true)
                        .getMessage());
        assertTrue(refusal(Golden.bytes(Golden.runs("bad/runs/gzip-magic")), true)
                .getMessage()
                .contains("gzip data"));
        assertTrue(refusal(Golden.bytes(Golden.runs("bad/runs/sqlite-magic")), true)
                .getMessage()
                .contains("SQLite"));
    }

    @Test
    void deviationsAreNamedAndRefusedByAStrictReader() {
        byte[] slack = Golden.bytes(Golden.runs("bad/runs/v1-slack-3-crc-fixed"));
        List<Deviation> deviations = new ArrayList<>();
        RunDecoder.decodeLeniently(slack, Path.of("x"), deviations);
        assertEquals(Reason.TRAILING_BYTES, deviations.getFirst().reason());
        assertEquals(
                "x: 3 extra bytes between the moves and the checksum; a lenient reader accepts this" + " (byte 73)",
                refusal(slack, false).getMessage());
        byte[] moves = Golden.bytes(Golden.runs("v1/moves-over-3.a2run"));
        assertTrue(refusal(moves, false).getMessage().contains("does not exist and is read as up"));
    }
}
