// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx.plugin;

import dev.penstock.plugin.CommandPlugin;
import java.util.Map;

/// The command that imports stores of loaderx.
public final class LoaderxCommands implements CommandPlugin {
    @Override
    public void list(String group, Map<String, Class<?>> commands) {
        if (group.equals("store")) {
            commands.put("import", StoreImportCommand.class);
        }
    }
}
