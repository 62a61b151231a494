// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Catalog;
import java.util.Set;

/// Options for opening the records of a location.
///
/// @param catalog the options for datasets and files
/// @param text    how text becomes values; ignored by kinds that have types
/// @param choice  the fields and records to read. [Sources] applies the choice, so a kind may ignore it. A kind
///                may also use it to read less: it may leave out fields that neither the choice nor its condition
///                names, and records that the condition does not match, unless the choice has a sample
/// @param decoded what a kind that keeps bytes as they are shall decode instead, by names that the kind knows,
///                such as the extensions of files; ignored by other kinds
/// @param bad     what happens with records that cannot be read
public record SourceOptions(
        Catalog.Options catalog, TextRules text, RecordChoice choice, Set<String> decoded, BadRecords bad) {
    /// All records, with types of text that are guessed. A record that cannot be read is an error.
    public static final SourceOptions DEFAULT =
            new SourceOptions(Catalog.Options.DEFAULT, TextRules.GUESS, RecordChoice.ALL, Set.of(), BadRecords.REFUSED);

    public SourceOptions {
        decoded = Set.copyOf(decoded);
    }

    public SourceOptions withCatalog(Catalog.Options catalog) {
        return new SourceOptions(catalog, text, choice, decoded, bad);
    }

    public SourceOptions withText(TextRules text) {
        return new SourceOptions(catalog, text, choice, decoded, bad);
    }

    public SourceOptions withChoice(RecordChoice choice) {
        return new SourceOptions(catalog, text, choice, decoded, bad);
    }

    public SourceOptions withDecoded(Set<String> decoded) {
        return new SourceOptions(catalog, text, choice, decoded, bad);
    }

    public SourceOptions withBad(BadRecords bad) {
        return new SourceOptions(catalog, text, choice, decoded, bad);
    }
}
