// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import dev.penstock.simulation.SimulatedDisk;
import dev.penstock.simulation.SimulatedThreads;
import dev.penstock.store.StoreOracle.Item;
import dev.penstock.store.StoreOracle.Pending;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A thread of a [StoreSimulation] that changes the store, and goes on after errors as a user would.
final class StoreActor {
    /// What all actors of a life share.
    record Shared(
            Random random,
            StoreWriter store,
            SimulatedDisk disk,
            StoreOracle oracle,
            List<Pending> all,
            boolean isSwapping,
            int fieldCount) {}

    private final Shared shared;
    private final Random random;
    private final StoreWriter store;
    private final StoreOracle oracle;
    private final int number;
    private final Pending pending;
    private boolean isStopped;

    /// @param number the number of a writer, or -1 for an actor that makes no changes
    StoreActor(Shared shared, int number) {
        this.shared = shared;
        this.random = shared.random;
        this.store = shared.store;
        this.oracle = shared.oracle;
        this.number = number;
        this.pending = number < 0 ? new Pending() : shared.all.get(number);
    }

    /// Makes random changes.
    void write(int stepCount) {
        for (int step = 0; step < stepCount && !isStopped; step++) {
            int kind = random.nextInt(20);
            if (kind < 9) {
                append(1);
            } else if (kind < 11) {
                append(2 + random.nextInt(4));
            } else if (kind < 13) {
                update();
            } else if (kind < 15) {
                delete();
            } else if (kind < 19) {
                commit(StoreWriter::commit);
            } else {
                rollback();
            }
            Thread.interrupted();
        }
    }

    void commitOften() {
        for (int i = random.nextInt(4); i >= 0 && !isStopped; i--) {
            commit(random.nextInt(4) > 0 ? StoreWriter::commit : StoreWriter::checkpoint);
            SimulatedThreads.pause();
            Thread.interrupted();
        }
    }

    void syncOften() {
        for (int i = random.nextInt(3); i >= 0 && !isStopped; i--) {
            Map<Item, String> before = oracle.acknowledged();
            try {
                store.sync();
                shared.disk.requireAlive();
                oracle.synced(before);
            } catch (IOException e) {
                shared.disk.requireAlive();
                isStopped |= isStopped(e);
            }
            SimulatedThreads.pause();
        }
    }

    private void append(int count) {
        List<Item> items = new ArrayList<>();
        List<List<byte[]>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Item item = oracle.newItem(number);
            items.add(item);
            rows.add(StoreOracle.values(item, shared.fieldCount));
        }
        change(items, StoreOracle.FIRST, () -> {
            long first = count == 1 ? store.append(rows.getFirst()) : store.appendAll(rows);
            for (int i = 0; i < count; i++) {
                items.get(i).index = first + i;
            }
        });
    }

    private void update() {
        Item item = any();
        if (item == null) {
            return;
        }
        item.version++;
        List<byte[]> values = StoreOracle.values(item, shared.fieldCount);
        Map<String, byte[]> byName = new LinkedHashMap<>();
        for (int field = 0; field < values.size(); field++) {
            byName.put(store.fields().get(field).name(), values.get(field));
        }
        change(List.of(item), Integer.toString(item.version), () -> store.update(index(item), byName));
    }

    private void delete() {
        Item item = any();
        if (item != null) {
            String state = shared.isSwapping ? StoreOracle.ABSENT : StoreOracle.DELETED;
            change(List.of(item), state, () -> store.delete(index(item)));
        }
    }

    /// Makes a change, and tells the oracle what came of it.
    private void change(List<Item> items, String state, Io.Action call) {
        items.forEach(item -> oracle.attempt(item, state));
        try {
            call.run();
            shared.disk.requireAlive();
            items.forEach(item -> oracle.accepted(pending, item, state));
        } catch (IOException e) {
            shared.disk.requireAlive();
            items.forEach(item -> oracle.refused(item, state));
            failed(e);
        }
    }

    private Item any() {
        List<Item> usable = oracle.usable(number);
        return usable.isEmpty() ? null : usable.get(random.nextInt(usable.size()));
    }

    /// A delete by swap moves records, so the index is looked up. Then this is the only thread that changes
    /// records.
    private long index(Item item) throws IOException {
        if (!shared.isSwapping) {
            return item.index;
        }
        String start = item.id + ":";
        for (long index = 0; index < store.count(); index++) {
            if (new String(store.get(index, "A"), StandardCharsets.UTF_8).startsWith(start)) {
                return index;
            }
        }
        // It was given up, and this thread has not been told.
        return store.count();
    }

    /// A way to commit.
    @FunctionalInterface
    private interface Committing {
        void run(StoreWriter store) throws IOException;
    }

    private void commit(Committing committing) {
        long begin = oracle.now();
        boolean hadFailedForce = shared.disk.hasFailedForce(StoreSimulation.SNAPSHOT);
        boolean isEmpty = pending.isEmpty();
        oracle.beginCommit();
        try {
            committing.run(store);
            shared.disk.requireAlive();
            if (hadFailedForce && !isEmpty) {
                oracle.violation("a commit was acknowledged after a failed force");
            }
            oracle.committed(pending, shared.all, begin);
            oracle.endCommit(true);
        } catch (StorePublishException e) {
            shared.disk.requireAlive();
            oracle.committed(pending, shared.all, begin);
            oracle.endCommit(true);
        } catch (IOException e) {
            shared.disk.requireAlive();
            oracle.endCommit(isStopped(e));
            failed(e);
            if (!isStopped && random.nextBoolean()) {
                rollback();
            }
        }
    }

    private void rollback() {
        store.rollback();
        shared.disk.requireAlive();
        oracle.rolledBack(pending);
    }

    private void failed(IOException e) {
        if (isStopped(e)) {
            isStopped = true;
            oracle.unclear(pending);
        } else if (e instanceof StoreLostException lost) {
            oracle.givenUp(pending, lost.firstLostIndex(), shared.isSwapping);
        }
    }

    private boolean isStopped(IOException e) {
        boolean isStopped = e instanceof StoreStoppedException;
        if (isStopped && !shared.disk.hasHardFault()) {
            oracle.violation("a full device has stopped the store: " + shared.disk.faults());
        }
        return isStopped;
    }
}
