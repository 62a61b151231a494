// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Row;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Knows from outside what a store has acknowledged to whom, and compares it with what is found.
///
/// Each record has a number, and each of its values carries this number and a version. The state of a record is
/// its version, [#DELETED] or [#ABSENT].
///
/// **Threads.** For simulated threads, of which one runs at a time.
final class StoreOracle {
    static final String ABSENT = "absent";
    static final String DELETED = "deleted";
    /// The state of a record that was appended and not changed since.
    static final String FIRST = "0";

    private final boolean isDurable;
    private final List<Item> items = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final List<String> history;
    private final boolean isRecording;
    private long clock;
    /// The time of the last report of lost changes, or of the last rollback, to any thread.
    private long lossTime;
    private int runningCommits;
    private long commitTime;

    /// @param history receives what happens, or null
    StoreOracle(boolean isDurable, List<String> history) {
        this.isDurable = isDurable;
        this.history = history;
        this.isRecording = history != null;
    }

    /// A record that some thread owns.
    static final class Item {
        final int id;
        /// The thread that changes it.
        int owner;

        long index = -1;
        int version;
        /// When the last acknowledged change was accepted.
        long acknowledgedTime;
        /// The state with all changes that were accepted.
        String believed = ABSENT;
        /// The last state that a commit has acknowledged.
        String acknowledged = ABSENT;
        /// The last acknowledged state that a power cut must not take back, and those after it.
        private final List<String> sinceDurable = new ArrayList<>(List.of(ABSENT));
        /// All states that commits have acknowledged, in order, and when they were accepted.
        private final List<String> states = new ArrayList<>(List.of(ABSENT));

        private final List<Long> stateTimes = new ArrayList<>(List.of(0L));
        /// States that may be there although no commit has acknowledged them.
        private final Set<String> possible = new HashSet<>();
        /// Earlier states that a commit of another thread may have taken, so that a power cut may leave them.
        private final Set<String> left = new HashSet<>();
        /// When those were accepted that a commit acknowledged after a later state.
        private final Map<String, Long> leftTimes = new HashMap<>();
        /// Whether nobody can know its state, so that nothing more is done with it.
        boolean isUnclear;

        Item(int id) {
            this.id = id;
        }

        /// The slot of a deleted record may belong to another one by now, and then the record is absent.
        boolean isLeft(String state) {
            return left.contains(state) || state.equals(ABSENT) && left.contains(DELETED);
        }

        @Override
        public String toString() {
            return "record " + id + " acknowledged as " + acknowledged + ", durable as " + sinceDurable + ", possible "
                    + possible;
        }
    }

    /// A change that a call has accepted.
    private record Change(Item item, String state, long time) {
        @Override
        public String toString() {
            return item.id + "=" + state + "@" + item.index;
        }
    }

    /// The changes of one thread that no commit has acknowledged to it.
    static final class Pending {
        private final List<Change> changes = new ArrayList<>();

        boolean isEmpty() {
            return changes.isEmpty();
        }
    }

    List<String> violations() {
        return violations;
    }

    void violation(String text) {
        violations.add(text);
    }

    Item newItem(int owner) {
        Item item = new Item(items.size());
        item.owner = owner;
        items.add(item);
        return item;
    }

    /// The values of a record in a state.
    static List<byte[]> values(Item item, int fieldCount) {
        List<byte[]> values = new ArrayList<>();
        values.add(key(item.id, item.version));
        for (int field = 1; field < fieldCount; field++) {
            values.add(filler(item.id, item.version));
        }
        return values;
    }

    private static byte[] key(int id, int version) {
        return (id + ":" + version).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] filler(int id, int version) {
        int kind = (id + 3 * version) % 7;
        if (kind < 2) {
            return kind == 0 ? null : new byte[0];
        }
        String text = id + ":" + version + ".";
        return text.repeat(1 + 40 * kind / text.length()).getBytes(StandardCharsets.UTF_8);
    }

    /// Adds an event to the history that a failing run prints.
    private void note(String event, Object what) {
        if (isRecording) {
            history.add("  " + ++clock + " " + Thread.currentThread().getName() + ": " + event + " " + what);
        }
    }

    void attempt(Item item, String state) {
        item.possible.add(state);
    }

    /// A call with this change has returned.
    void accepted(Pending pending, Item item, String state) {
        note("accepted " + state + " at " + item.index + " of", item);
        item.believed = state;
        pending.changes.add(new Change(item, state, ++clock));
    }

    /// A call with this change has failed, so it must never be there.
    void refused(Item item, String state) {
        item.possible.remove(state);
    }

    /// The owner of these changes was told that they are given up, except records before an index.
    ///
    /// @param isSwapping whether deletes move records, so that indices say nothing
    void givenUp(Pending pending, long firstLostIndex, boolean isSwapping) {
        note("told that changes are given up from " + firstLostIndex, pending.changes);
        lossTime = ++clock;
        List<Change> kept = new ArrayList<>();
        Set<Item> lost = new HashSet<>();
        for (Change change : pending.changes) {
            boolean isAppend = change.state.equals(FIRST);
            if (isSwapping) {
                forget(change);
            } else if (isAppend && change.item.index < firstLostIndex) {
                kept.add(change);
            } else if (isAppend || lost.contains(change.item)) {
                lost.add(change.item);
                remove(change);
            } else {
                forget(change);
            }
        }
        pending.changes.clear();
        pending.changes.addAll(kept);
    }

    /// The owner of these changes has discarded them.
    void rolledBack(Pending pending) {
        note("rolled back", pending.changes);
        lossTime = ++clock;
        pending.changes.forEach(this::forget);
        pending.changes.clear();
    }

    /// A commit of another thread may have taken a change.
    private void forget(Change change) {
        if (runningCommits > 0 || commitTime > change.time) {
            change.item.isUnclear = true;
        } else {
            remove(change);
        }
    }

    private static void remove(Change change) {
        change.item.possible.remove(change.state);
        change.item.believed = change.item.acknowledged;
    }

    /// Nobody can tell whether these changes are durable, because the store has stopped.
    void unclear(Pending pending) {
        note("stopped", pending.changes);
        pending.changes.forEach(change -> change.item.isUnclear = true);
        pending.changes.clear();
    }

    void beginCommit() {
        note("begins a commit", "");
        runningCommits++;
    }

    /// @param mayBeDone whether changes may be committed now
    void endCommit(boolean mayBeDone) {
        note("ends a commit", mayBeDone);
        runningCommits--;
        commitTime = mayBeDone ? ++clock : commitTime;
    }

    /// A commit has returned: the changes of the calling thread are acknowledged, and those of other threads that
    /// were accepted before it began, unless changes were given up since.
    void committed(Pending own, List<Pending> all, long beginTime) {
        acknowledge(own.changes);
        own.changes.clear();
        for (Pending pending : all) {
            acknowledge(pending.changes.stream()
                    .filter(change -> change.time < beginTime && change.time > lossTime)
                    .toList());
        }
    }

    long now() {
        return ++clock;
    }

    private void acknowledge(List<Change> changes) {
        for (Change change : changes) {
            Item item = change.item;
            if (!item.possible.remove(change.state)) {
                continue;
            }
            if (change.time <= item.acknowledgedTime) {
                item.left.add(change.state);
                item.leftTimes.put(change.state, change.time);
            } else {
                item.acknowledgedTime = change.time;
                item.acknowledged = change.state;
                item.sinceDurable.add(change.state);
                item.states.add(change.state);
                item.stateTimes.add(change.time);
                if (isDurable) {
                    durable(item, change.state);
                }
            }
        }
    }

    private static void durable(Item item, String state) {
        int at = item.sinceDurable.lastIndexOf(state);
        if (at > 0) {
            item.sinceDurable.subList(0, at).clear();
        }
        if (state.equals(item.acknowledged)) {
            item.left.clear();
        }
    }

    /// What is acknowledged now, to be handed to [#synced].
    Map<Item, String> acknowledged() {
        Map<Item, String> states = new HashMap<>();
        items.forEach(item -> states.put(item, item.acknowledged));
        return states;
    }

    /// A sync has returned that began when this was acknowledged.
    void synced(Map<Item, String> before) {
        note("synced", "");
        before.forEach(StoreOracle::durable);
    }

    /// What is in a store: records by number, and the slots of tombstones.
    record Found(Map<Integer, String> states, Set<Long> tombstones, Map<Integer, Long> indices) {}

    /// Reads all records, and reports those that no call has ever written.
    Found read(StoreReader reader, String where) throws IOException {
        Found found = new Found(new HashMap<>(), new HashSet<>(), new HashMap<>());
        for (long index = 0; index < reader.count(); index++) {
            if (reader.isDeleted(index)) {
                found.tombstones.add(index);
            } else {
                add(found, reader.get(index), index, where);
            }
        }
        return found;
    }

    private void add(Found found, Row row, long index, String where) {
        String key =
                row.isMissing(0) ? "missing" : new String(row.value(0).toArray(Layouts.U8), StandardCharsets.UTF_8);
        if (!key.matches("\\d+:\\d+")) {
            violation(where + ": record " + index + " has the value '" + key + "'");
            return;
        }
        int id = Integer.parseInt(key.substring(0, key.indexOf(':')));
        int version = Integer.parseInt(key.substring(key.indexOf(':') + 1));
        for (int field = 1; field < row.values().size(); field++) {
            byte[] value = row.isMissing(field) ? null : row.value(field).toArray(Layouts.U8);
            if (!Arrays.equals(value, filler(id, version))) {
                violation(where + ": record " + index + " has values of different versions");
            }
        }
        if (found.states.put(id, Integer.toString(version)) != null) {
            violation(where + ": record " + id + " is there twice, at " + found.indices.get(id) + " and " + index);
        }
        found.indices.put(id, index);
    }

    private static String state(Found found, Item item, boolean isSwapping) {
        String state = found.states.get(item.id);
        if (state != null) {
            return state;
        }
        // Its slot may belong to another record by now.
        boolean mayBeDeleted = item.possible.contains(DELETED) || item.sinceDurable.contains(DELETED);
        return !isSwapping && mayBeDeleted && found.tombstones.contains(item.index) ? DELETED : ABSENT;
    }

    /// The number of states of each record that are acknowledged, to be handed to [#checkSeen].
    int[] stateCounts() {
        return items.stream().mapToInt(item -> item.states.size()).toArray();
    }

    /// Compares a state that a reader saw beside writers with what was acknowledged before it looked.
    void checkSeen(Found found, int[] stateCountsBefore, boolean isSwapping) {
        for (Item item : items) {
            String state = state(found, item, isSwapping);
            int from = item.id < stateCountsBefore.length ? stateCountsBefore[item.id] - 1 : 0;
            // A commit of another thread may have shown it before a later state was acknowledged.
            boolean isBetween = item.leftTimes.getOrDefault(state, 0L) > item.stateTimes.get(from);
            boolean isRight = item.possible.contains(state)
                    || isBetween
                    || item.states.subList(from, item.states.size()).contains(state);
            if (!isRight) {
                violation("a reader sees " + state + " of " + item + ", acknowledged in turn as " + item.states
                        + ", before it looked up to number " + from);
            }
        }
    }

    /// Compares the records after a life with what has to be there, and continues with what was found.
    ///
    /// @param isPowerCut whether acknowledged changes may be lost that were not durable
    void checkAfter(Found found, boolean isPowerCut, boolean isSwapping, String where) {
        for (Item item : items) {
            String state = state(found, item, isSwapping);
            boolean isRight = state.equals(item.acknowledged)
                    || item.possible.contains(state)
                    || isPowerCut && (item.sinceDurable.contains(state) || item.isLeft(state));
            if (!isRight) {
                violation(where + ": " + state + " is found of " + item);
            }
            if (!isSwapping && found.indices.getOrDefault(item.id, item.index) != item.index && !item.isUnclear) {
                violation(where + ": " + item + " is at " + found.indices.get(item.id) + ", not at " + item.index);
            }
            item.index = found.indices.getOrDefault(item.id, item.index);
            settle(item, state, isPowerCut);
        }
    }

    private void settle(Item item, String state, boolean isPowerCut) {
        item.acknowledged = state;
        item.believed = state;
        if (isPowerCut) {
            item.sinceDurable.clear();
            item.left.clear();
        } else {
            item.left.addAll(item.possible);
        }
        item.possible.clear();
        item.isUnclear = false;
        item.sinceDurable.add(state);
        item.states.add(state);
        item.stateTimes.add(++clock);
    }

    /// Starts a life, and divides all records among threads.
    void begin(int ownerCount) {
        runningCommits = 0;
        items.forEach(item -> item.owner = item.id % ownerCount);
    }

    /// Records that a thread can change.
    List<Item> usable(int owner) {
        return items.stream()
                .filter(item -> item.owner == owner
                        && !item.isUnclear
                        && !item.believed.equals(ABSENT)
                        && !item.believed.equals(DELETED))
                .toList();
    }
}
