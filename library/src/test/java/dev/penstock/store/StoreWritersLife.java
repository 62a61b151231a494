// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// Two threads that append to a store, update and commit, while a third rebalances it; what was promised to them
/// is noted together with how much had happened on the disk.
///
/// A value says which thread wrote it, which of its records it belongs to, and its version. So every record that
/// is found can be checked by itself.
final class StoreWritersLife {
    static final int WRITERS = 2;
    private static final int STEPS = 5;

    /// A record, as its writer knows it.
    private record Own(long index, int record) {}

    /// Something that was promised.
    ///
    /// @param operationCount operations of the disk before
    /// @param length         records that are there from now on
    /// @param versions       by index, the version that a record has at least
    private record Promise(int operationCount, long length, Map<Long, Integer> versions) {}

    /// The ways in which a thread appends a record.
    @FunctionalInterface
    interface Append {
        long run(StoreWriter store, List<byte[]> values) throws IOException;
    }

    private final Append append;
    private final boolean isDurable;
    private final List<Promise> promises = new ArrayList<>();
    /// By index, thread and record.
    private final Map<Long, String> owners = new ConcurrentHashMap<>();
    /// By index, where the rows begin that were appended in one call.
    private final Map<Long, Long> firsts = new ConcurrentHashMap<>();

    private int existsAt;

    StoreWritersLife(Append append, boolean isDurable) {
        this.append = append;
        this.isDurable = isDurable;
    }

    private static String text(String owner, int version) {
        String name = owner + "/" + version + "/";
        return name.repeat(1 + (owner.hashCode() * 31 + version * 7 & 0xF));
    }

    StoreOptions options(Disk disk) {
        return StoreOptions.DEFAULT
                .withDisk(disk)
                .withDurability(isDurable ? StoreOptions.Durability.COMMIT : StoreOptions.Durability.NONE)
                .withChunkRows(6)
                .withRotateBytes(1500)
                .withWriters(WRITERS);
    }

    void run(RecordingDisk recording, Disk disk, Random random) throws IOException, InterruptedException {
        StoreWriter store = StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), options(disk));
        existsAt = recording.operationCount();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger running = new AtomicInteger(WRITERS);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < WRITERS; number++) {
            String name = "t" + number;
            Random own = new Random(random.nextLong());
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    write(store, name, own, recording);
                } catch (IOException | RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                } finally {
                    running.decrementAndGet();
                }
            }));
        }
        try {
            while (running.get() > 0) {
                store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0.2), Progress.NONE);
                Thread.sleep(1);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (failure.get() != null) {
                throw new IOException("a thread has failed: " + failure.get(), failure.get());
            }
        } finally {
            store.close();
        }
    }

    private void write(StoreWriter store, String name, Random random, RecordingDisk recording) throws IOException {
        List<Own> own = new ArrayList<>();
        Map<Long, Integer> versions = new ConcurrentHashMap<>();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(3) == 0) {
                appendTogether(store, name, own, random);
            } else {
                String owner = name + "-" + own.size();
                long index = append.run(store, List.of(text(owner, 0).getBytes()));
                own.add(new Own(index, own.size()));
                owners.put(index, owner);
            }
            Own changed = own.get(random.nextInt(own.size()));
            int version = versions.merge(changed.index, 1, Integer::sum);
            store.update(
                    changed.index,
                    "A",
                    text(name + "-" + changed.record, version).getBytes());
            if (random.nextInt(3) > 0) {
                store.commit();
                promise(recording.operationCount(), own, versions);
            }
        }
    }

    private void appendTogether(StoreWriter store, String name, List<Own> own, Random random) throws IOException {
        int count = 2 + random.nextInt(3);
        try (Batch rows = Batch.create(List.of(store.fields().getFirst().column()))) {
            List<byte[]> values = new ArrayList<>();
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                values.add(text(name + "-" + (own.size() + i), 0).getBytes());
                bytes += values.getLast().length;
            }
            MemorySegment all = rows.column(0).reserveValues(bytes);
            MemorySegment offsets = rows.column(0).reserveOffsets(count);
            long end = 0;
            for (int i = 0; i < count; i++) {
                MemorySegment value = MemorySegment.ofArray(values.get(i));
                MemorySegment.copy(value, 0, all, end, value.byteSize());
                end += value.byteSize();
                offsets.setAtIndex(dev.penstock.file.Layouts.U64, i + 1, end);
            }
            offsets.setAtIndex(dev.penstock.file.Layouts.U64, 0, 0);
            rows.complete(count);
            long first = store.appendAll(rows);
            for (int i = 0; i < count; i++) {
                owners.put(first + i, name + "-" + own.size());
                firsts.put(first + i, first);
                own.add(new Own(first + i, own.size()));
            }
        }
    }

    private void promise(int operationCount, List<Own> own, Map<Long, Integer> versions) {
        long length = own.getLast().index + 1;
        synchronized (promises) {
            promises.add(new Promise(operationCount, length, Map.copyOf(versions)));
        }
    }

    boolean exists(int operationCount) {
        return operationCount >= existsAt;
    }

    /// Describes what is wrong with the records after a crash, or returns null.
    ///
    /// @param isKilled whether the process was killed, which loses no commit that was written
    String wrong(StoreReader reader, int operationCount, boolean isKilled) throws IOException {
        List<String> found = StoreModel.read(reader);
        for (int index = 0; index < found.size(); index++) {
            String owner = owners.get((long) index);
            String value = found.get(index);
            boolean isOwn = owner != null && value.startsWith("'" + owner + "/");
            if (!isOwn || !value.equals("'" + text(owner, version(value)) + "'")) {
                return "record " + index + " of " + owner + " is " + value;
            }
        }
        Long first = firsts.get((long) found.size());
        if (first != null && first < found.size()) {
            return "there are " + found.size() + " records, of the rows from " + first + " on only some";
        }
        return isDurable || isKilled ? broken(found, operationCount) : null;
    }

    private static int version(String value) {
        return Integer.parseInt(value.split("/")[1]);
    }

    private String broken(List<String> found, int operationCount) {
        for (Promise promise : promises) {
            if (promise.operationCount > operationCount) {
                continue;
            }
            if (found.size() < promise.length) {
                return promise.length + " records were committed and " + found.size() + " are found";
            }
            for (Map.Entry<Long, Integer> version : promise.versions.entrySet()) {
                if (version(found.get(version.getKey().intValue())) < version.getValue()) {
                    return "record " + version + " has an older value";
                }
            }
        }
        return null;
    }
}
