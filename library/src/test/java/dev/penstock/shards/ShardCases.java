// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/// A table of named cases. Each one is a test for mapped files, for files that are read, and for a store.
final class ShardCases {
    private static final String MAPPED = "mapped";

    private static final Map<String, ShardReader.Options> WAYS = Map.of(
            MAPPED,
            ShardReader.Options.DEFAULT,
            "read",
            ShardReader.Options.DEFAULT.withAccess(Access.READ),
            "from a store",
            ShardReader.Options.DEFAULT.withStorage(Storage.of(Disk.real())));

    private final Map<String, Case> cases = new LinkedHashMap<>();
    private final Set<String> unmapped = new HashSet<>();

    /// The cases.
    @FunctionalInterface
    interface Case {
        /// @param folder an empty folder for the shards
        void run(Path folder, ShardReader.Options options) throws Exception;
    }

    ShardCases add(String name, Case one) {
        if (cases.put(name, one) != null) {
            throw new IllegalArgumentException("there are two cases called " + name);
        }
        return this;
    }

    /// A case without mapped files. After a fault of a mapped file a process uses no vectors any more, so such
    /// cases have a process of their own: [ShardLiveTruncationTest].
    ShardCases addUnmapped(String name, Case one) {
        unmapped.add(name);
        return add(name, one);
    }

    /// A case in which opening the folder is refused.
    ShardCases refused(String name, Reason reason, Case preparation) {
        return add(name, (folder, options) -> {
            preparation.run(folder, options);
            requireRefused(reason, folder, options);
        });
    }

    static void requireRefused(Reason reason, Path folder, ShardReader.Options options) {
        assertEquals(
                reason,
                assertThrows(
                                DatasetException.class,
                                () -> ShardReader.open(folder, options).close())
                        .reason());
    }

    Stream<DynamicNode> tests(Path folder) {
        List<DynamicNode> tests = new ArrayList<>();
        for (Map.Entry<String, Case> one : cases.entrySet()) {
            List<DynamicTest> ways = new ArrayList<>();
            for (Map.Entry<String, ShardReader.Options> way : WAYS.entrySet()) {
                if (way.getKey().equals(MAPPED) && unmapped.contains(one.getKey())) {
                    continue;
                }
                ways.add(DynamicTest.dynamicTest(one.getKey() + ", " + way.getKey(), () -> {
                    Path own = Files.createTempDirectory(folder, "case");
                    one.getValue().run(own, way.getValue());
                }));
            }
            tests.add(DynamicContainer.dynamicContainer(one.getKey(), ways));
        }
        return tests.stream();
    }

    /// The rows that `nextBatch` gives, as `first id + rows`, from the position to the end.
    static List<String> batches(ShardSource source) throws IOException {
        List<String> batches = new ArrayList<>();
        try (ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            while (source.nextBatch(batch)) {
                batches.add(batch.rowId(0) + "+" + batch.rowCount());
            }
        }
        return batches;
    }

    /// [#batches] of a folder.
    static List<String> batches(Path folder, ShardReader.Options options) throws IOException {
        try (ShardReader reader = ShardReader.open(folder, options);
                ShardSource source = reader.source()) {
            return batches(source);
        }
    }

    /// The bits of all numbers that `nextBatch` gives, from the position to the end.
    static List<Long> bits(ShardSource source) throws IOException {
        List<Long> bits = new ArrayList<>();
        try (ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            while (source.nextBatch(batch)) {
                for (double[] row : batch.toDoubles()) {
                    for (double value : row) {
                        bits.add(Double.doubleToRawLongBits(value));
                    }
                }
            }
        }
        return bits;
    }

    /// [#bits] of a folder.
    static List<Long> bits(Path folder, ShardReader.Options options) throws IOException {
        try (ShardReader reader = ShardReader.open(folder, options);
                ShardSource source = reader.source()) {
            return bits(source);
        }
    }
}
