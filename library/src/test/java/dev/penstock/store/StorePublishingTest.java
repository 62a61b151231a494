// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Figures;
import dev.penstock.Leases;
import dev.penstock.TestData;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What one thread of a store does is seen by the others as it should be, in every order of their steps that
/// Lincheck tries: it runs the threads one step at a time and chooses who goes on.
@Timeout(600)
@Tag("full")
class StorePublishingTest {
    private static final int ORDERS = TestData.isLong() ? 20_000 : 120;

    /// Something that a thread does.
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /// What the threads share. Lincheck follows what can be reached from a static field, and takes what lambdas
    /// capture for a thread's own.
    private static volatile Chunk chunk;

    private static volatile CountingFile file;
    private static volatile States states;
    private static volatile Throwable failure;

    private static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
        });
        thread.start();
        return thread;
    }

    /// Runs two threads to their end and throws what one of them threw.
    private static void together(Work one, Work other) {
        failure = null;
        Thread first = start(one);
        Thread second = start(other);
        try {
            first.join();
            second.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    /// A chunk that one thread writes and others force.
    private interface Chunk {
        void write() throws IOException;

        void force() throws IOException;
    }

    /// Knows how many writes there were and how many of them a force has covered.
    private static final class CountingFile implements Disk.Writable {
        private volatile int written;
        private volatile int durable;

        @Override
        public void write(MemorySegment source, long offset) {
            written = written + 1;
        }

        @Override
        public long read(long offset, MemorySegment target) {
            return 0;
        }

        @Override
        public long size() {
            return written;
        }

        @Override
        public void force() {
            int covered = written;
            durable = Math.max(durable, covered);
        }

        @Override
        public void forceData() {
            force();
        }

        @Override
        public void close() {}
    }

    /// The chunk of a store.
    private record StoreChunk(ChunkFile file) implements Chunk {
        @Override
        public void write() throws IOException {
            file.write(MemorySegment.NULL, 0);
        }

        @Override
        public void force() throws IOException {
            file.force();
        }
    }

    private static Chunk storeChunk(CountingFile file) {
        return new StoreChunk(new ChunkFile(0, file, file, new FailStop(StoreModel.STORE)));
    }

    /// A chunk with a planted bug.
    private abstract static class BuggyChunk implements Chunk {
        final CountingFile file;
        volatile boolean isDirty;

        BuggyChunk(CountingFile file) {
            this.file = file;
        }

        @Override
        public void write() {
            file.write(MemorySegment.NULL, 0);
            isDirty = true;
        }

        @Override
        public synchronized void force() {
            if (isDirty) {
                isDirty = false;
                file.force();
            }
        }
    }

    /// A thread writes twice and forces, as a commit does, while another forces the same chunk because it is full.
    private static void commitBesideASeal(Function<CountingFile, Chunk> maker) {
        Lincheck.runConcurrentTest(ORDERS, () -> {
            file = new CountingFile();
            chunk = maker.apply(file);
            together(StorePublishingTest::commit, () -> chunk.force());
        });
    }

    private static void commit() throws IOException {
        chunk.write();
        chunk.write();
        chunk.force();
        if (file.durable < 2) {
            throw new IllegalStateException("acknowledged with " + file.durable + " of 2 writes");
        }
    }

    @Test
    void aForceCoversWhatWasWrittenBeforeIt() {
        commitBesideASeal(StorePublishingTest::storeChunk);
        Figures.print("store, orders of writes and forces tried", ORDERS);
    }

    private static void requireCaught(Function<CountingFile, Chunk> bug) {
        assertThrows(LincheckAssertionError.class, () -> commitBesideASeal(bug));
    }

    @Test
    void aForceThatDoesNotWaitForThatOfAnotherThreadIsCaught() {
        requireCaught(file -> new BuggyChunk(file) {
            @Override
            public void force() {
                if (isDirty) {
                    isDirty = false;
                    file.force();
                }
            }
        });
    }

    @Test
    void aChunkThatIsMarkedBeforeItIsWrittenIsCaught() {
        requireCaught(file -> new BuggyChunk(file) {
            @Override
            public void write() {
                isDirty = true;
                file.write(MemorySegment.NULL, 0);
            }
        });
    }

    @Test
    void aChunkThatIsUnmarkedAfterItIsForcedIsCaught() {
        requireCaught(file -> new BuggyChunk(file) {
            @Override
            public synchronized void force() {
                if (isDirty) {
                    file.force();
                    isDirty = false;
                }
            }
        });
    }

    /// A state that readers use and a refresh replaces, as [StoreReader] has it.
    private static class States {
        private volatile State state = new State();

        void read() {
            State held = acquire();
            if (held.isFreed) {
                throw new IllegalStateException("a state is freed while it is read");
            }
            held.leases.release();
        }

        State acquire() {
            while (true) {
                State now = state;
                if (now.leases.acquire()) {
                    return now;
                }
            }
        }

        void refresh() {
            State old = state;
            state = new State();
            old.leases.close();
        }
    }

    private static final class State {
        private volatile boolean isFreed;
        private final Leases leases = new Leases(() -> isFreed = true);
    }

    private static void readBesideARefresh(Supplier<States> maker) {
        Lincheck.runConcurrentTest(ORDERS, () -> {
            states = maker.get();
            together(
                    () -> {
                        states.read();
                        states.read();
                    },
                    () -> states.refresh());
        });
    }

    @Test
    void aStateIsNotFreedWhileItIsRead() {
        readBesideARefresh(States::new);
    }

    @Test
    void aReaderWithoutALeaseIsCaught() {
        Supplier<States> bug = () -> new States() {
            @Override
            State acquire() {
                State now = super.state;
                now.leases.acquire();
                return now;
            }
        };
        assertThrows(LincheckAssertionError.class, () -> readBesideARefresh(bug));
    }
}
