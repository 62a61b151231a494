// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.Verification;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The datasets that a [Concat] or a [Zip] consists of.
record ViewParts(List<Dataset> all) {
    ViewParts {
        all = List.copyOf(all);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a view needs at least one dataset");
        }
    }

    long bytes() {
        return all.stream().mapToLong(Dataset::bytes).sum();
    }

    List<String> remarks() {
        return all.stream().flatMap(part -> part.remarks().stream()).toList();
    }

    void prepare() {
        all.forEach(Dataset::prepare);
    }

    /// Verifies one part after the other. Progress is reported in bytes of all parts.
    Verification verify(Progress progress) throws IOException {
        List<Verification> results = new ArrayList<>();
        long total = bytes();
        long before = 0;
        for (Dataset part : all) {
            long start = before;
            double share = part.bytes();
            results.add(part.verify((done, partTotal) ->
                    progress.at(start + (partTotal == 0 ? 0 : (long) (share * done / partTotal)), total)));
            before += part.bytes();
        }
        return Verification.merged(results);
    }
}
