// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Progress;
import dev.penstock.game2048.RunPack;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import picocli.CommandLine.Option;

/// The options that select records of a pack.
final class RunSelection {
    @Option(
            names = "--indices",
            paramLabel = "LIST",
            description = "Indices of the records, as in 0,5,10-20 (default: all).")
    String indices;

    @Option(
            names = "--where",
            paramLabel = "COND",
            description = "Select runs by their metadata, as in \"max_score >= 20000 and steps > 1500\". Fields: steps,"
                    + " length, start_unix_s, elapsed_s, max_score, highest_tile, kind, final_board, engine.")
    String condition;

    /// The selected ranges of records, ascending.
    List<IndexRanges.Range> ranges(PackReader pack, Progress progress) throws IOException {
        List<IndexRanges.Range> all =
                pack.count() == 0 ? List.of() : List.of(new IndexRanges.Range(0, pack.count() - 1));
        List<IndexRanges.Range> wanted = indices == null ? all : IndexRanges.parse(indices, pack.count());
        if (condition == null) {
            return wanted;
        }
        if (!RunPack.isRunPack(pack)) {
            throw new IllegalArgumentException(
                    "--where works for packs of runs only, and " + pack.location() + " has other records");
        }
        BitSet isWanted = new BitSet();
        wanted.forEach(range -> isWanted.set((int) range.first(), (int) range.last() + 1));
        try (RunPack runs = RunPack.of(pack)) {
            return Arrays.stream(runs.where(condition, progress))
                    .filter(index -> isWanted.get((int) index))
                    .mapToObj(index -> new IndexRanges.Range(index, index))
                    .toList();
        }
    }
}
