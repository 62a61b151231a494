// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Catalog;

/// Options for opening the records of a location.
///
/// @param catalog the options for datasets and files
/// @param text    how text becomes values; ignored by kinds that have types
/// @param choice  the fields and records to read. [Sources] applies the choice, so a kind may ignore it. A kind
///                may also use it to read less: it may leave out fields that neither the choice nor its condition
///                names, and records that the condition does not match, unless the choice has a sample
public record SourceOptions(Catalog.Options catalog, TextRules text, RecordChoice choice) {
    /// All records, with types of text that are guessed.
    public static final SourceOptions DEFAULT =
            new SourceOptions(Catalog.Options.DEFAULT, TextRules.GUESS, RecordChoice.ALL);

    public SourceOptions withCatalog(Catalog.Options catalog) {
        return new SourceOptions(catalog, text, choice);
    }

    public SourceOptions withText(TextRules text) {
        return new SourceOptions(catalog, text, choice);
    }

    public SourceOptions withChoice(RecordChoice choice) {
        return new SourceOptions(catalog, text, choice);
    }
}
