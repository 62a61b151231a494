// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.ForeignKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The two kinds of records in the packs of the original program, as far as packs need to know them.
public record SampleRuns() implements RecordFamily, ForeignKind {
    static final PackKind V1 = new PackKind(1, "run-v1", "runs_v1");
    static final PackKind V2 = new PackKind(2, "run-v2", "runs_v2");
    private static final byte[] V1_MAGIC = "A2T1\1".getBytes(StandardCharsets.US_ASCII);

    @Override
    public String noun() {
        return "run";
    }

    @Override
    public List<PackKind> kinds() {
        return List.of(V1, V2);
    }

    @Override
    public List<String> extensions() {
        return List.of(".a2run2", ".a2run");
    }

    @Override
    public Optional<String> describe(Candidate candidate) {
        return new String(candidate.head(), StandardCharsets.ISO_8859_1).startsWith("A2T1")
                ? Optional.of("a single run of the game 2048")
                : Optional.empty();
    }

    @Override
    public PackKind kind(MemorySegment head) {
        byte[] start =
                head.asSlice(0, Math.min(head.byteSize(), V1_MAGIC.length)).toArray(ValueLayout.JAVA_BYTE);
        return Arrays.equals(start, V1_MAGIC) ? V1 : V2;
    }
}
