// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.plugin.CommandPlugin;
import java.util.Map;

/// The command that starts the explorer.
public final class ExplorerCommands implements CommandPlugin {
    @Override
    public void list(String group, Map<String, Class<?>> commands) {
        if (group.equals("penstock")) {
            commands.put("serve", ServeCommand.class);
        }
    }
}
