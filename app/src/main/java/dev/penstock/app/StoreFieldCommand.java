// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/// The commands that change the fields of a store.
@CommandLine.Command(
        name = "field",
        header = "Add, drop or recompress a field of a store.",
        description = "The change is atomic. Open readers keep the fields they have, and"
                + " no other process may write at the same time.",
        footer = {
            "",
            "Example:",
            "  penstock store field add images score:float32:scalar",
            "  penstock store field compress images pixels zstd"
        })
final class StoreFieldCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("add", StoreFieldAddCommand.class);
        commands.put("drop", StoreFieldDropCommand.class);
        commands.put("compress", StoreFieldCompressCommand.class);
    }
}
