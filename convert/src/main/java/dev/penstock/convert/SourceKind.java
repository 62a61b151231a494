// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import java.io.IOException;

/// A kind of source whose records can be read for a conversion, although it is not a [dev.penstock.Dataset]: it
/// has no records by index. Datasets need none; [Sources] reads every dataset that the catalog opens.
///
/// Another module adds one by naming its class in `META-INF/services/dev.penstock.convert.SourceKind`.
///
/// **Threads.** Must be safe for any number of threads.
public interface SourceKind {
    /// Whether a candidate is of this kind, judged by its first bytes, its name, or the names in its folder.
    boolean recognises(Candidate candidate) throws IOException;

    /// Opens a location that was recognised.
    ///
    /// @param rules how text becomes values; ignored by kinds that have types
    /// @throws DatasetException when the bytes are damaged
    RecordSource open(Location location, Catalog.Options options, TextRules rules) throws IOException;
}
