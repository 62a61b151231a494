// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import java.io.IOException;
import java.util.Optional;

/// Files or folders that are not datasets although a module knows them, so that a message can say what they are.
///
/// A module names its class in `META-INF/services/dev.penstock.catalog.ForeignKind`.
///
/// **Threads.** Must be safe for any number of threads.
public interface ForeignKind {
    /// What a candidate is and what to do with it, as in `gzip data; unpack it`; empty when it is of another
    /// kind.
    Optional<String> describe(Candidate candidate) throws IOException;
}
