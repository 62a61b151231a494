// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.rows.kernel.RowCopy;
import dev.penstock.table.TableReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// Our gather in a separate process, for cases that need another runtime or other limits. A [Peer] talks to it.
public final class TablePeer {
    private TablePeer() {}

    /// `FILE vector|scalar`: the second argument is the expected kernel.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (RowCopy.hasVectors() != arguments[1].equals("vector")) {
            throw new IllegalStateException("the kernel is not the " + arguments[1] + " one");
        }
        TableReader.Options options = TableReader.Options.DEFAULT.withThreads(1);
        try (TableReader reader = TableReader.open(Path.of(arguments[0]), options)) {
            reader.prepare();
            Resident.awaitFill();
            System.out.println("ready");
            BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            Map<String, TableGatherer> gatherers = new HashMap<>();
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                String[] words = line.split(" ");
                TableGatherer gatherer =
                        gatherers.computeIfAbsent(words[1], operation -> TableGatherer.of(reader, operation));
                System.out.println(answer(gatherer, words));
            }
            gatherers.values().forEach(TableGatherer::close);
        }
    }

    private static String answer(TableGatherer gatherer, String[] words) throws IOException {
        Draw draw = new Draw(Integer.parseInt(words[2]), Integer.parseInt(words[3]), Long.parseLong(words[4]));
        if (words[0].equals("sum")) {
            return Long.toString(gatherer.checksum(draw));
        }
        return Arrays.stream(gatherer.run(draw)).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }
}
