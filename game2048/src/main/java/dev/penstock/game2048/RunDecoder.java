// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Decodes runs of both versions into columns. The version is recognised by the content.
///
/// **Threads.** Stateless, so safe for any number of threads.
public final class RunDecoder {
    private static final int SIGNATURE_SIZE_MAX = 16;

    /// The first bytes of other known files, so that the message can name them.
    private static final Map<String, String> FOREIGN = Map.of(
            "A2PACK\0\0", "a pack of runs",
            "\u0093NUMPY", "a NumPy array",
            "SQLite format 3\0", "an SQLite database",
            "\u001f\u008b", "gzip data");

    private RunDecoder() {}

    /// Decodes a run strictly: it must be stored exactly as a known writer stores it.
    ///
    /// @param file the source of the bytes, for messages
    /// @throws DatasetException when the bytes are not a run, or have deviations
    public static Run decode(byte[] bytes, Path file) {
        RunColumns columns = new RunColumns();
        decode(bytes, bytes.length, Location.of(file), 0, columns, null);
        return columns.run();
    }

    /// Decodes a run strictly into columns that are reused.
    public static void decode(byte[] bytes, Path file, RunColumns target) {
        decode(bytes, bytes.length, Location.of(file), 0, target, null);
    }

    /// Decodes a run leniently, as the original program does.
    ///
    /// @param deviations receives the deviations
    /// @throws DatasetException when the original program would reject the bytes, or the file has another known
    ///                          format
    public static Run decodeLeniently(byte[] bytes, Path file, List<Deviation> deviations) {
        RunColumns columns = new RunColumns();
        decode(bytes, bytes.length, Location.of(file), 0, columns, deviations);
        return columns.run();
    }

    /// Decodes into columns.
    ///
    /// @param limit      the end of the run in the bytes
    /// @param fileOffset the offset of the run in the file
    /// @param deviations receives the deviations; null rejects them
    static void decode(
            byte[] bytes, int limit, Location file, long fileOffset, RunColumns target, List<Deviation> deviations) {
        if (limit > RunFormat.SIZE_MAX) {
            throw new DatasetException.Corrupt(
                    file,
                    fileOffset,
                    Reason.SIZE_OVERFLOW,
                    "a run of " + limit + " bytes is too large: at most " + RunFormat.SIZE_MAX);
        }
        if (RunV1Codec.hasMagic(bytes, limit)) {
            decodeV1(bytes, limit, file, fileOffset, target, deviations);
        } else {
            decodeV2(bytes, limit, file, fileOffset, target, deviations);
        }
    }

    /// The magic number does not prove version 1: a run of version 2 may begin with the same bytes.
    private static void decodeV1(
            byte[] bytes, int limit, Location file, long fileOffset, RunColumns target, List<Deviation> deviations) {
        List<Deviation> found = deviations == null ? null : new ArrayList<>();
        try {
            RunV1Codec.decode(new RunBytes(bytes, limit, file, fileOffset, found), target);
        } catch (DatasetException refusal) {
            if (!isStrictV2(bytes, limit, file, fileOffset, target)) {
                throw refusal;
            }
            return;
        }
        if (deviations != null) {
            deviations.addAll(found);
        }
    }

    private static boolean isStrictV2(byte[] bytes, int limit, Location file, long fileOffset, RunColumns target) {
        try {
            RunV2Codec.decode(new RunBytes(bytes, limit, file, fileOffset, null), target);
            return true;
        } catch (DatasetException e) {
            return false;
        }
    }

    private static void decodeV2(
            byte[] bytes, int limit, Location file, long fileOffset, RunColumns target, List<Deviation> deviations) {
        int before = deviations == null ? 0 : deviations.size();
        DatasetException refusal = null;
        try {
            RunV2Codec.decode(new RunBytes(bytes, limit, file, fileOffset, deviations), target);
        } catch (DatasetException e) {
            refusal = e;
        }
        boolean isDoubtful = refusal != null || deviations != null && deviations.size() > before;
        String foreign = isDoubtful ? foreign(bytes, limit) : null;
        if (foreign != null) {
            throw new DatasetException.WrongFormat(file, "this is " + foreign + ", not a single run");
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static String foreign(byte[] bytes, int limit) {
        String head = new String(bytes, 0, Math.min(limit, SIGNATURE_SIZE_MAX), StandardCharsets.ISO_8859_1);
        return FOREIGN.entrySet().stream()
                .filter(signature -> head.startsWith(signature.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /// Reads a run of version 1 in its stored form.
    ///
    /// @throws DatasetException when the bytes are not a run of version 1 that the original program accepts
    public static RunV1 decodeV1(byte[] bytes, Path file) {
        return decodeV1(bytes, bytes.length, Location.of(file), 0);
    }

    static RunV1 decodeV1(byte[] bytes, int limit, Location file, long fileOffset) {
        return RunV1Codec.read(new RunBytes(bytes, limit, file, fileOffset, new ArrayList<>()));
    }

    /// Encodes a run. Version 1 cannot store branch values, so they are dropped.
    public static byte[] encode(Run run, RunVersion version) {
        return version == RunVersion.V1 ? RunV1Codec.encode(RunV1Codec.downgrade(run)) : RunV2Codec.encode(run);
    }

    /// Encodes a run of version 1.
    public static byte[] encode(RunV1 run) {
        return RunV1Codec.encode(run);
    }
}
