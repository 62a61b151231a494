// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.CommandGroup;
import dev.penstock.plugin.HelpSection;
import java.util.Map;
import picocli.CommandLine;

/// The commands for the cache of remote objects.
@HelpSection(HelpSection.Name.CHECK)
@CommandLine.Command(
        name = "cache",
        header = "Look at, clear or fill the cache of datasets in remote storage.",
        description = {
            "The cache is a folder on a local disk, which all processes of a machine share. The environment variable"
                    + " PENSTOCK_CACHE has its size, such as 200GB, or its folder and its size, such as"
                    + " /fast/cache:200GB. Without a folder it is penstock in the user's cache folder."
        },
        footer = {
            "",
            "Example:",
            "  penstock cache warm s3://bucket/corpus --cache /fast/cache:200GB",
            "  penstock cache info"
        })
final class CacheCommand extends CommandGroup {
    @Override
    public void list(Map<String, Class<?>> commands) {
        commands.put("info", CacheInfoCommand.class);
        commands.put("clear", CacheClearCommand.class);
        commands.put("warm", CacheWarmCommand.class);
    }
}
