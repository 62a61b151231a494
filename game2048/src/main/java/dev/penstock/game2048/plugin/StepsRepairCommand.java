// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.file.Disk;
import dev.penstock.game2048.StepsRepair;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/// Repairs a steps dataset.
@CommandLine.Command(
        name = "repair",
        header = "Repair the run ids and run ranges of a steps dataset.",
        description =
                "Rows that the original program appended have run ids that start at 0 again. They get the ids of the"
                        + " database. Run ranges that do not match the rows are computed again from the step indices."
                        + " Files without errors are not written.",
        footer = {"", "Example:", "  penstock game2048 steps repair steps"})
final class StepsRepairCommand extends Command {
    @Mixin
    StepsFolderOption place = new StepsFolderOption();

    @Override
    public Integer call() throws IOException {
        Path folder = place.path();
        StepsRepair.Result result;
        try (ProgressBar progress = progress("repair", ProgressBar.Unit.RECORDS)) {
            result = StepsRepair.repair(folder, Disk.real(), progress);
        }
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", folder);
            json.put("rows", result.rowCount());
            json.put("runs", result.runCount());
            printJson(json);
        } else {
            remark(
                    result.rowCount() == 0 && result.runCount() == 0
                            ? "Nothing to repair in " + folder
                            : "Repaired the run ids of " + Text.number(result.rowCount()) + " rows and the ranges of "
                                    + Text.number(result.runCount()) + " runs of " + folder);
        }
        return 0;
    }
}
