// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import dev.penstock.game2048.RunIndex.Entry;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads and writes the small file beside a pack that stores the metadata of its runs.
///
/// The file has the magic number `PSRUNS1
/// `, the fingerprint of the pack, the number of records and the names of the engines. For each record it has the
/// version (0 for a tombstone), the number of the engine (0 for none), the number of steps in the metadata, the
/// actual number of steps, start, duration, score, tile and final board. Last is a u32 CRC-32C of everything
/// before it. Numbers are varints, durations 32-bit floats, texts a size and UTF-8. The file can always be made
/// again, so one that does not match is not an error.
final class RunIndexFile {
    private static final byte[] MAGIC = "PSRUNS1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int CRC_SIZE = 4;

    /// The largest size of a record, and the space allowed for each engine name.
    private static final int ENTRY_SIZE_MAX = 64;

    private static final long NAMES_SIZE_MAX = 64L << 20;
    private static final long SIZE_MAX = 1L << 30;

    private RunIndexFile() {}

    static long sizeMax(long count) {
        return Math.min(SIZE_MAX, NAMES_SIZE_MAX + count * ENTRY_SIZE_MAX);
    }

    /// Encodes the metadata, or returns null when the result would be too large.
    static byte[] encode(String fingerprint, List<Entry> entries) {
        Map<String, Integer> engines = new LinkedHashMap<>();
        long nameBytes = 0;
        for (Entry entry : entries) {
            String engine = entry.meta().engine();
            if (engine != null && engines.putIfAbsent(engine, engines.size() + 1) == null) {
                nameBytes += engine.length() * 3L;
            }
        }
        if (nameBytes > NAMES_SIZE_MAX / 2 || entries.size() > SIZE_MAX / 2 / ENTRY_SIZE_MAX) {
            return null;
        }
        RunOutput out = new RunOutput(entries.size() * 32L);
        out.bytes(MAGIC);
        text(out, fingerprint);
        out.varint(entries.size());
        out.varint(engines.size());
        engines.keySet().forEach(engine -> text(out, engine));
        entries.forEach(entry -> {
            out.varint(entry.version() == null ? 0 : entry.version().ordinal() + 1);
            out.varint(engines.getOrDefault(entry.meta().engine(), 0));
            out.varint(entry.meta().steps());
            out.varint(entry.stepCount());
            out.varint(entry.meta().startUnixS());
            out.u32(entry.meta().elapsedBits());
            out.varint(entry.meta().maxScore());
            out.varint(entry.meta().highestTile());
            out.varint(entry.finalBoard());
        });
        out.u32(Crc32c.of(MemorySegment.ofArray(out.toBytes())));
        return out.toBytes();
    }

    private static void text(RunOutput out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.varint(bytes.length);
        out.bytes(bytes);
    }

    /// Decodes the file, or returns null when it belongs to another pack or is damaged.
    static List<Entry> decode(byte[] bytes, String fingerprint, long count) {
        int limit = bytes.length - CRC_SIZE;
        if (limit < MAGIC.length
                || !MemorySegment.ofArray(bytes)
                        .asSlice(0, MAGIC.length)
                        .asByteBuffer()
                        .equals(ByteBuffer.wrap(MAGIC))
                || Crc32c.of(MemorySegment.ofArray(bytes).asSlice(0, limit)) != (int) RunBytes.U32.get(bytes, limit)) {
            return null;
        }
        try {
            return decode(new RunBytes(bytes, limit, Location.of(Path.of("runs")), 0, null), fingerprint, count);
        } catch (DatasetException e) {
            return null;
        }
    }

    private static List<Entry> decode(RunBytes in, String fingerprint, long count) {
        in.position = MAGIC.length;
        if (!fingerprint.equals(text(in)) || in.varint64("the count") != count) {
            return null;
        }
        long engineCount = in.varint64("the number of engines");
        if (engineCount < 0 || engineCount > in.remaining()) {
            return null;
        }
        List<String> engines = new ArrayList<>();
        engines.add(null);
        for (long i = 0; i < engineCount; i++) {
            engines.add(text(in));
        }
        List<Entry> entries = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            int version = in.choice(RunVersion.values().length + 1, Reason.BAD_TAG, "the version");
            int engine = in.choice(engines.size(), Reason.BAD_TAG, "the engine");
            long steps = in.varint32("the steps");
            int stepCount = (int) in.varint32("the step count");
            RunMeta meta = new RunMeta(
                    steps,
                    in.varint64("the start"),
                    in.f32("the duration"),
                    in.varint64("the score"),
                    in.varint32("the tile"),
                    engines.get(engine));
            entries.add(new Entry(
                    version == 0 ? null : RunVersion.values()[version - 1],
                    meta,
                    stepCount,
                    in.varint64("the final board")));
        }
        return in.remaining() == 0 ? entries : null;
    }

    private static String text(RunBytes in) {
        long size = in.varint64("the size of a text");
        return size < 0 || size > in.remaining() ? null : in.utf8((int) size);
    }
}
