// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.loader.Transform;
import dev.penstock.plugin.VerbPlugin;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Requests that plug-ins answer. Their verbs and kinds of transforms are `PLUGIN.NAME`.
final class PluginRequests {
    /// They are searched for when first needed, because that opens all jars.
    private static final List<VerbPlugin> ALL = VerbPlugin.all();

    private PluginRequests() {}

    static Object answer(Request request) throws IOException {
        return plugin(request.verb()).answer(lastPart(request.verb()), request);
    }

    static Transform transform(Request request) throws IOException {
        String kind = request.text("kind");
        return plugin(kind).transform(lastPart(kind), request);
    }

    private static VerbPlugin plugin(String word) {
        String name = word.substring(0, word.indexOf('.'));
        Optional<VerbPlugin> found =
                ALL.stream().filter(plugin -> plugin.name().equals(name)).findFirst();
        return found.orElseThrow(() ->
                new IllegalArgumentException("there is no plug-in " + name + " for " + word + "; the plug-ins are "
                        + ALL.stream().map(VerbPlugin::name).collect(Collectors.joining(", "))
                        + ", and PENSTOCK_PLUGINS adds the jars of others"));
    }

    private static String lastPart(String word) {
        return word.substring(word.indexOf('.') + 1);
    }
}
