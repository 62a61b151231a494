// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.loader.Transform;
import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;

/// Requests of Python that a module answers. The module names the class in
/// `META-INF/services/dev.penstock.plugin.VerbPlugin`.
///
/// Python calls the verb `NAME.VERB`, where `NAME` is [#name].
public interface VerbPlugin {
    /// All plug-ins on the class path.
    static List<VerbPlugin> all() {
        return ServiceLoader.load(VerbPlugin.class, VerbPlugin.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /// The name of the plug-in in its verbs and transforms.
    String name();

    /// Answers a request.
    ///
    /// @param verb the part after the dot
    /// @return a value for JSON: null, a boolean, a number, a text, a list, a map
    /// @throws IllegalArgumentException when the verb is unknown, or an argument is invalid
    Object answer(String verb, VerbRequest request) throws IOException;

    /// Creates a transform of batches, which a loader in Python names `NAME.KIND`.
    ///
    /// @throws IllegalArgumentException when the kind is unknown, or an argument is invalid
    default Transform transform(String kind, VerbRequest request) throws IOException {
        throw new IllegalArgumentException("the plug-in " + name() + " has no transform " + kind);
    }
}
