// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Finds the fields of JSON objects that are seen one by one, by the rule of JSON Lines.
///
/// **Threads.** One thread at a time.
public final class JsonFields {
    private final TextRules rules;
    private final Map<String, JsonTypes.Guess> guesses = new LinkedHashMap<>();
    private final Map<String, Long> counts = new HashMap<>();
    private long objectCount;

    public JsonFields(TextRules rules) {
        this.rules = rules;
    }

    /// Sees an object as [dev.penstock.file.Json] parses it.
    ///
    /// @throws IllegalArgumentException when it is no object, or does not fit the earlier ones
    public void see(Object json) {
        JsonTypes.see(json, guesses, counts, rules);
        objectCount++;
    }

    /// The fields, in the order in which the keys first occurred.
    ///
    /// @param source the name of the source, for messages
    /// @throws BadInput when the values of a field do not go together
    public List<Field> fields(String source) {
        return JsonTypes.fields(source, guesses, counts, objectCount, rules);
    }
}
