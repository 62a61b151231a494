// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sources side by side, one of which fails while the others wait.
@Timeout(60)
final class JoinedRecordsTest {
    /// Counts from 0, and fails before one of the records.
    private static final class Counting implements RecordSource {
        private final Field field;
        private final long count;
        private final Throwable failure;
        private volatile Thread reader;
        private volatile boolean isClosed;

        /// @param failure thrown after the last record, or null
        Counting(String name, long count, Throwable failure) {
            this.field = Field.fixed(name, ElementType.I64);
            this.count = count;
            this.failure = failure;
        }

        @Override
        public String name() {
            return field.name();
        }

        @Override
        public List<Field> fields() {
            return List.of(field);
        }

        @Override
        public String fingerprint() {
            return name();
        }

        @Override
        public Optional<Dataset> dataset() {
            return Optional.empty();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            reader = Thread.currentThread();
            try (RowCollector rows = new RowCollector(fields(), true, receiver)) {
                for (long i = 0; i < count; i++) {
                    rows.fixed(0).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
                    rows.complete();
                }
                rows.flush();
            }
            switch (failure) {
                case null -> {}
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                default -> throw (Error) failure;
            }
        }

        @Override
        public void close() {
            assertFalse(reader != null && reader.isAlive(), "the source is closed while it is read");
            isClosed = true;
        }
    }

    @Test
    void aFailureOfOneSourceEndsAllAndIsReported() throws IOException {
        List<Throwable> failures = List.of(
                new IOException("the disk is gone"), new BadInput("line 3 is bad", null), new OutOfMemoryError("x"));
        for (Throwable failure : failures) {
            for (long before : new long[] {0, 5000}) {
                for (boolean isFirst : new boolean[] {true, false}) {
                    requireReported(failure, before, isFirst);
                }
            }
        }
    }

    private static void requireReported(Throwable failure, long before, boolean isFirst) throws IOException {
        Counting good = new Counting("good", 1_000_000, null);
        Counting bad = new Counting("bad", before, failure);
        AtomicLong received = new AtomicLong();
        try (RecordSource joined = Sources.joined(isFirst ? List.of(bad, good) : List.of(good, bad))) {
            Throwable thrown = assertThrows(
                    failure.getClass(),
                    () -> joined.forEach((indices, batch) -> received.addAndGet(batch.rowCount()), Progress.NONE));
            assertSame(failure, thrown);
            assertEquals(before, received.get(), "the records before the failure are passed on");
        }
        assertTrue(good.isClosed && bad.isClosed);
    }

    @Test
    void aFailureOfTheTargetEndsAllSources() throws IOException {
        Counting one = new Counting("one", 1_000_000, null);
        Counting other = new Counting("other", 1_000_000, null);
        IOException full = new IOException("the disk is full");
        try (RecordSource joined = Sources.joined(List.of(one, other))) {
            assertSame(
                    full,
                    assertThrows(
                            IOException.class,
                            () -> joined.forEach(
                                    (indices, batch) -> {
                                        throw full;
                                    },
                                    Progress.NONE)));
        }
        assertTrue(one.isClosed && other.isClosed);
    }

    @Test
    void sourcesOfDifferentLengthAreRefused() throws IOException {
        try (RecordSource joined =
                Sources.joined(List.of(new Counting("one", 5000, null), new Counting("other", 4999, null)))) {
            BadInput refused =
                    assertThrows(BadInput.class, () -> joined.forEach((indices, batch) -> {}, Progress.NONE));
            assertTrue(refused.getMessage().startsWith("other has fewer records than one"), refused.getMessage());
        }
    }
}
