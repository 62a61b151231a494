// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Codec;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;

/// Reads everything of a pack in every way there is, and holds the ways against each other.
///
/// Each way gives the bytes or a [DatasetException]; anything else that is thrown fails the test. One probe serves
/// many packs, because making memory for batches is the slow part.
final class PackProbe implements AutoCloseable {
    /// A hostile index may honestly ask for more than a test should set aside.
    private static final long RAW_BYTES_MAX = 64L << 20;

    private final Batch batch = Batch.create(List.of(PackReader.VALUE));
    private PackReader reader;
    private List<PackRecord> expected;
    private long refusalCount;
    private boolean isSkipping;

    /// The result of reading a pack.
    enum Outcome {
        REFUSED_AT_OPEN,
        REFUSED_IN_PART,
        WHOLE
    }

    @FunctionalInterface
    interface Opening {
        PackReader open() throws IOException;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /// Reads a pack.
    ///
    /// @param expected what is in it, or null when anything is right that does not contradict itself
    Outcome read(Opening opening, List<PackRecord> expected) throws IOException {
        refusalCount = 0;
        isSkipping = false;
        this.expected = expected;
        try {
            reader = opening.open();
        } catch (DatasetException e) {
            return Outcome.REFUSED_AT_OPEN;
        }
        try (PackReader opened = reader) {
            assertNotNull(opened);
            readEverything();
        }
        return refusalCount == 0 ? Outcome.WHOLE : Outcome.REFUSED_IN_PART;
    }

    private void readEverything() throws IOException {
        if (expected != null) {
            assertEquals(expected.size(), reader.count());
        }
        boolean isAllWhole = true;
        for (long i = 0; i < reader.count(); i++) {
            isAllWhole &= readRecord(i);
        }
        isAllWhole &= attempt(this::readAllAtOnce);
        isAllWhole &= attempt(this::readByScan);
        readTheRest();
        Verification verification = reader.verify(Progress.NONE);
        if (!isAllWhole) {
            assertFalse(verification.isOk(), "verify finds nothing in a pack of which something was refused");
        } else if (!isSkipping) {
            assertTrue(verification.isOk(), () -> "verify finds errors in a pack that could be read: " + verification);
        }
    }

    /// Runs one way of reading.
    ///
    /// @return whether it was not refused
    private boolean attempt(Step step) throws IOException {
        try {
            step.run();
            return true;
        } catch (DatasetException e) {
            refusalCount++;
            assertEquals(reader.location(), e.file());
            return false;
        }
    }

    private boolean readRecord(long index) throws IOException {
        boolean isWhole = attempt(() -> expectKind(index, reader.kind(index)));
        isWhole &= attempt(() -> expectName(index, reader.name(index)));
        if (rawSize(index) > RAW_BYTES_MAX) {
            isSkipping = true;
            return isWhole;
        }
        byte[][] seen = new byte[3][];
        boolean isSeen = attempt(() -> seen[0] = reader.get(index).value(0).toArray(Layouts.U8));
        isSeen &= attempt(() -> {
            MemorySegment target = MemorySegment.ofArray(new byte[(int) rawSize(index)]);
            assertEquals(target.byteSize(), reader.read(index, target));
            seen[1] = target.toArray(Layouts.U8);
        });
        isSeen &= attempt(() -> {
            reader.gather(new long[] {index}, batch);
            seen[2] = batch.column(0).value(0).toArray(Layouts.U8);
        });
        if (isSeen) {
            assertArrayEquals(seen[0], seen[1]);
            assertArrayEquals(seen[0], seen[2]);
            expectBytes(index, seen[0]);
        } else {
            assertTrue(seen[0] == null && seen[1] == null && seen[2] == null, "one way refuses, another does not");
        }
        return isWhole & isSeen;
    }

    private long rawSize(long index) {
        PackEntry entry = reader.entry(index);
        return entry.isReadable() ? Math.min(entry.rawSize(), 2 * RAW_BYTES_MAX) : entry.storedSize();
    }

    private void readAllAtOnce() throws IOException {
        long rawBytes = LongStream.range(0, reader.count()).map(this::rawSize).sum();
        if (rawBytes > RAW_BYTES_MAX) {
            return;
        }
        reader.gather(LongStream.range(0, reader.count()).toArray(), batch);
        assertEquals(reader.count(), batch.rowCount());
        for (long i = 0; i < reader.count(); i++) {
            expectBytes(i, batch.column(0).value(i).toArray(Layouts.U8));
        }
    }

    private void readByScan() throws IOException {
        long rawBytes = LongStream.range(0, reader.count()).map(this::rawSize).sum();
        if (rawBytes > RAW_BYTES_MAX) {
            return;
        }
        try (PackScan scan = reader.scan()) {
            long last = -1;
            while (scan.next()) {
                assertTrue(scan.index() > last, "a scan goes up");
                last = scan.index();
                expectBytes(last, scan.value().toArray(Layouts.U8));
            }
        }
    }

    /// Calls that read no single record. None of them may refuse a pack that was opened.
    private void readTheRest() throws IOException {
        reader.statsBlock();
        reader.fingerprint();
        assertFalse(reader.facts().isEmpty());
        assertTrue(reader.metadata().isEmpty());
    }

    private void expectBytes(long index, byte[] bytes) {
        if (expected != null) {
            assertArrayEquals(expected.get((int) index).bytes(), bytes, () -> "record " + index);
        } else if (reader.entry(index).codec() == Codec.NONE) {
            assertEquals(reader.entry(index).storedSize(), bytes.length);
        }
    }

    private void expectKind(long index, PackKind kind) {
        if (expected != null) {
            assertEquals(expected.get((int) index).kind(), kind);
        }
    }

    private void expectName(long index, String name) {
        if (expected != null) {
            assertEquals(expected.get((int) index).name(), name);
        }
    }

    @Override
    public void close() {
        batch.close();
    }
}
