// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/// Commands that a module adds to the command line. The module names the class in
/// `META-INF/services/dev.penstock.plugin.CommandPlugin`.
public interface CommandPlugin {
    /// All plug-ins on the class path.
    static List<CommandPlugin> all() {
        return ServiceLoader.load(CommandPlugin.class, CommandPlugin.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /// Adds commands to a group, by their names. A command is a class with the annotation
    /// [picocli.CommandLine.Command] and a constructor without parameters, usually a [Command] or a
    /// [CommandGroup].
    ///
    /// @param group the name of the group, such as `pack`, or `penstock` for commands of the first level
    void list(String group, Map<String, Class<?>> commands);

    /// A part of `penstock demo`.
    ///
    /// @param folder a folder for its files, which is removed afterwards
    /// @return whether everything worked
    default boolean demonstrate(Demo demo, Path folder) throws IOException {
        return true;
    }
}
