// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups.plugin;

import dev.penstock.plugin.CommandPlugin;
import java.util.Map;

/// The command that groups the rows of a table.
public final class GroupCommands implements CommandPlugin {
    @Override
    public void list(String group, Map<String, Class<?>> commands) {
        if (group.equals("table")) {
            commands.put("group", TableGroupCommand.class);
        }
    }
}
