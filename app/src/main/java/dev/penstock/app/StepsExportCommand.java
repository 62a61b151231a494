// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.game2048.StepsDataset;
import java.io.IOException;
import picocli.CommandLine;

/// Steps in another format.
@CommandLine.Command(
        name = "export",
        header = "Write steps of a dataset in another format.",
        description =
                "As penstock export, for steps datasets only. A condition and a list of fields may name attributes"
                        + " of the runs, too.",
        footer = {
            "",
            "Example:",
            "  penstock steps export steps --format parquet --output best.parquet --where \"max_score >= 20000\""
        })
final class StepsExportCommand extends ExportCommand {
    @Override
    public Integer call() throws IOException {
        // Refuses what is no steps dataset.
        StepsDataset.open(path).close();
        return super.call();
    }
}
