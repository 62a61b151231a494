// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Progress;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import picocli.CommandLine.Option;

/// The options that select records of a pack.
public final class PackSelection {
    @Option(
            names = "--indices",
            paramLabel = "LIST",
            description = "Indices of the records, as in 0,5,10-20 (default: all).")
    public String indices;

    @Option(
            names = "--where",
            paramLabel = "COND",
            description = "Select records by a condition on their decoded content, as in \"x >= 20000 and y > 1500\"."
                    + " `penstock stats` lists the fields.")
    public String condition;

    /// The selected ranges of records, ascending.
    public List<IndexRanges.Range> ranges(PackReader pack, Progress progress) throws IOException {
        List<IndexRanges.Range> all =
                pack.count() == 0 ? List.of() : List.of(new IndexRanges.Range(0, pack.count() - 1));
        List<IndexRanges.Range> wanted =
                indices == null ? all : IndexRanges.parse(indices, pack.count(), pack.location());
        if (condition == null) {
            return wanted;
        }
        RecordFamily family = RecordFamily.of(pack)
                .orElseThrow(() -> new IllegalArgumentException("--where works for packs of decoded records only, and "
                        + pack.location() + " has other records"));
        BitSet isWanted = new BitSet();
        wanted.forEach(range -> isWanted.set((int) range.first(), (int) range.last() + 1));
        return Arrays.stream(family.where(pack, condition, progress))
                .filter(index -> isWanted.get((int) index))
                .mapToObj(index -> new IndexRanges.Range(index, index))
                .toList();
    }
}
