// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.util.List;
import java.util.Map;

/// A source that knows the names of classes, which its records have as numbers.
public interface ClassNames {
    /// The names of classes by field, in the order of their numbers from 0.
    Map<String, List<String>> classNames();
}
