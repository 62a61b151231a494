// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// The arguments of a request of Python, by name. A missing argument or one of another type is a `TypeError` in
/// Python.
public interface VerbRequest {
    boolean has(String name);

    String text(String name);

    long number(String name);

    long numberOr(String name, long otherwise);

    double real(String name);

    boolean isTrue(String name);

    <T> List<T> list(String name, Class<T> type);

    /// Memory of Python, given by the arguments `name` and `nameBytes`.
    MemorySegment memory(String name);

    /// The open dataset that the argument `handle` refers to.
    Dataset dataset();

    /// Hands a dataset over to Python, which closes it. The result is its description, which the verb returns.
    Object opened(Dataset dataset);
}
