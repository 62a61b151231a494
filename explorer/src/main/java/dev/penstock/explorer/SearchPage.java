// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import java.io.IOException;

/// A page with the result of a [Search]. A GET searches for at most its budget; a POST to the same address reports
/// progress.
interface SearchPage extends Page {
    /// The time that a search takes when the request says nothing.
    long BUDGET_SECONDS = 10;

    long BUDGET_SECONDS_MAX = 60;

    /// The search that a request asks for.
    ///
    /// @throws IllegalArgumentException when a parameter is invalid
    Search search(Query query, String id, Dataset dataset) throws IOException;

    static long budget(Query query) {
        return query.number("budget", BUDGET_SECONDS, 0, BUDGET_SECONDS_MAX);
    }
}
