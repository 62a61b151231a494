// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/// The option for how the records of a pack are presented, whose [family][RecordFamily] has views.
final class ViewOption {
    /// The presentation of every pack.
    private static final String BYTES = "bytes";

    @Option(
            names = "--as",
            paramLabel = "VIEW",
            completionCandidates = Views.class,
            description = "Read a pack through a view of its decoded records, or as stored bytes."
                    + " Views: ${COMPLETION-CANDIDATES}.")
    String as;

    /// The names of all views.
    static final class Views implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            Stream<String> views = RecordFamily.all().stream().flatMap(family -> family.views().stream());
            return Stream.concat(Stream.of(BYTES), views).iterator();
        }
    }

    /// Which view is used when the option is not given.
    enum Usual {
        /// The stored bytes.
        STORED,
        /// The view with one record for each record of the pack.
        DECODED,
        /// The view with the most detailed records.
        DETAILED;

        /// The default of commands that read records: bytes, or decoded records if there is a condition.
        static Usual of(String condition) {
            return condition == null ? STORED : DECODED;
        }
    }

    /// Returns a view of a dataset. Closing the view leaves the dataset open.
    Dataset view(Dataset dataset, Usual usual, Progress progress) throws IOException {
        Optional<RecordFamily> family = dataset instanceof PackReader pack ? RecordFamily.of(pack) : Optional.empty();
        List<String> views = family.map(RecordFamily::views).orElse(List.of());
        if (as != null && !as.equals(BYTES) && !views.contains(as)) {
            throw new IllegalArgumentException("--as " + as + ": " + dataset.location() + " has no view with this name"
                    + (views.isEmpty() ? "" : "; it has " + BYTES + ", " + String.join(", ", views)));
        }
        String wanted = as != null || views.isEmpty() ? as : usual(usual, views);
        return wanted == null || wanted.equals(BYTES)
                ? dataset
                : family.orElseThrow().view((PackReader) dataset, wanted, progress);
    }

    private static String usual(Usual usual, List<String> views) {
        return switch (usual) {
            case STORED -> BYTES;
            case DECODED -> views.getFirst();
            case DETAILED -> views.getLast();
        };
    }
}
