// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.plugin.CommandPlugin;
import dev.penstock.plugin.Demo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/// The commands for runs and steps of the game 2048.
public final class GameCommands implements CommandPlugin {
    @Override
    public void list(String group, Map<String, Class<?>> commands) {
        if (group.equals("penstock")) {
            commands.put("game2048", GameCommand.class);
            commands.put("runs", GameCommand.Runs.class);
            commands.put("steps", GameCommand.Steps.class);
        } else if (group.equals("pack")) {
            commands.put("to-jsonl", PackToJsonlCommand.class);
        }
    }

    @Override
    public boolean demonstrate(Demo demo, Path folder) throws IOException {
        return new RunsDemo(demo).run(folder);
    }
}
