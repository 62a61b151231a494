// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IntsRefBuilder;
import org.apache.lucene.util.fst.BytesRefFSTEnum;
import org.apache.lucene.util.fst.FST;
import org.apache.lucene.util.fst.FSTCompiler;
import org.apache.lucene.util.fst.PositiveIntOutputs;
import org.apache.lucene.util.fst.Util;

/// How fast are trees compared with maps in the heap and Lucene's FST?
final class TreeMapCases {
    private TreeMapCases() {}

    static void run(Settings settings, TreeData data, Report report) throws Exception {
        for (String name : data.names()) {
            run(settings, data, name, report);
        }
    }

    private static void run(Settings settings, TreeData data, String name, Report report) throws Exception {
        // Building an FST takes most of the heap, so the hits and misses are loaded afterwards.
        FST<Long> fst = fst(data.sortedKeys(name));
        TreeData.Keys keys = data.load(name);
        try (TreeReader tree = TreeReader.open(keys.tree())) {
            new Cases(settings, report, keys, tree).run(fst);
        }
    }

    /// The cases of one set of keys.
    private record Cases(Settings settings, Report report, TreeData.Keys keys, TreeReader tree) {
        void run(FST<Long> fst) throws Exception {
            ToLongFunction<List<byte[]>> fstLookUp = wanted -> lookUp(fst, wanted);
            compare("hit", keys.hits(), "Lucene FST", fstLookUp);
            compare("miss", keys.misses(), "Lucene FST", fstLookUp);
            compareIteration("Lucene FST", () -> iterate(fst));
            double fstBytes = fst.numBytes();
            double ownBytes = Files.size(keys.tree());
            report.add(new Row(
                    TreeBenchmark.NAME,
                    "size-" + keys.name(),
                    ownBytes / keys.keys().size(),
                    "B/key",
                    "Lucene FST",
                    fstBytes / keys.keys().size(),
                    fstBytes / ownBytes,
                    0));
            TreeMap<byte[], Long> treeMap = new TreeMap<>(Arrays::compareUnsigned);
            keys.keys().forEach(key -> treeMap.put(key, 0L));
            compare(
                    "hit",
                    keys.hits(),
                    "TreeMap",
                    wanted -> wanted.stream().filter(treeMap::containsKey).count());
            compareIteration("TreeMap", () -> iterate(treeMap));
            treeMap.clear();
            Map<ByteBuffer, Long> hashMap = new HashMap<>();
            keys.keys().forEach(key -> hashMap.put(ByteBuffer.wrap(key), 0L));
            compare(
                    "hit",
                    keys.hits(),
                    "HashMap",
                    wanted -> wanted.stream()
                            .filter(key -> hashMap.containsKey(ByteBuffer.wrap(key)))
                            .count());
        }

        private void compare(String what, List<byte[]> wanted, String floor, ToLongFunction<List<byte[]>> lookUp)
                throws Exception {
            add(what, floor, wanted.size(), () -> TreeWork.lookUp(tree, wanted), () -> lookUp.applyAsLong(wanted));
        }

        private void compareIteration(String floor, SideBySide.MeasuredWork work) throws Exception {
            add("iterate", floor, keys.keys().size(), () -> TreeWork.iterate(tree), work);
        }

        private void add(
                String what, String floor, long count, SideBySide.MeasuredWork ours, SideBySide.MeasuredWork theirs)
                throws Exception {
            Times times =
                    new SideBySide(new Side(ours), new Side(theirs)).warmUps(8).measure(settings.roundsOr(7));
            report.add(times.things(TreeBenchmark.NAME, what + "-" + keys.name(), "keys/s", count, floor));
        }
    }

    private static final class Side implements SideBySide.Side {
        private final SideBySide.MeasuredWork work;
        private long answer;

        Side(SideBySide.MeasuredWork work) {
            this.work = work;
        }

        @Override
        public long run() throws Exception {
            answer = work.run();
            return answer;
        }

        @Override
        public long answer() {
            return answer;
        }
    }

    private static FST<Long> fst(List<byte[]> keys) throws IOException {
        FSTCompiler<Long> compiler =
                new FSTCompiler.Builder<>(FST.INPUT_TYPE.BYTE1, PositiveIntOutputs.getSingleton()).build();
        IntsRefBuilder scratch = new IntsRefBuilder();
        for (byte[] key : keys) {
            compiler.add(Util.toIntsRef(new BytesRef(key), scratch), 0L);
        }
        return FST.fromFSTReader(compiler.compile(), compiler.getFSTReader());
    }

    private static long lookUp(FST<Long> fst, List<byte[]> keys) {
        try {
            long found = 0;
            for (byte[] key : keys) {
                found += Util.get(fst, new BytesRef(key)) == null ? 0 : 1;
            }
            return found;
        } catch (IOException e) {
            throw new AssertionError("an FST in memory", e);
        }
    }

    private static long iterate(FST<Long> fst) throws IOException {
        long bytes = 0;
        BytesRefFSTEnum<Long> entries = new BytesRefFSTEnum<>(fst);
        for (BytesRefFSTEnum.InputOutput<Long> entry = entries.next(); entry != null; entry = entries.next()) {
            bytes += entry.input.length;
        }
        return bytes;
    }

    private static long iterate(TreeMap<byte[], Long> map) {
        long bytes = 0;
        for (byte[] key : map.keySet()) {
            bytes += key.length;
        }
        return bytes;
    }
}
