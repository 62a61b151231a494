// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.ForeignKind;
import java.io.IOException;
import java.util.Optional;

/// Tells the catalog what sources of conversions are, so that opening one as a dataset says what to do with it.
public final class SourceFiles implements ForeignKind {
    @Override
    public Optional<String> describe(Candidate candidate) throws IOException {
        return Sources.kind(candidate)
                .filter(kind -> !isNamed(kind) || candidate.kind() == Candidate.Kind.FILE)
                .map(kind -> kind.description() + "; " + kind.advice());
    }

    /// Whether the name of a file decides, so that a folder of this name is something else.
    private static boolean isNamed(SourceKind kind) {
        return kind instanceof TextKinds || kind == OwnKinds.SAFETENSORS;
    }
}
