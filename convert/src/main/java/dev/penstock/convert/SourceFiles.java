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
                .filter(kind -> !(kind instanceof TextKinds || kind == OwnKinds.SAFETENSORS)
                        || candidate.kind() == Candidate.Kind.FILE)
                .map(kind -> kind.description() + "; " + kind.advice());
    }
}
