// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.game2048.StepsDataset;
import java.io.IOException;
import picocli.CommandLine;

/// Exports steps in another format.
@CommandLine.Command(
        name = "export",
        header = "Write steps of a dataset in another format.",
        description =
                "Like penstock export, but for steps datasets only. Conditions and field lists may name attributes"
                        + " of the runs as well.",
        footer = {
            "",
            "Example:",
            "  penstock steps export steps --format parquet --output best.parquet --where \"max_score >= 20000\""
        })
final class StepsExportCommand extends ExportCommand {
    @Override
    public Integer call() throws IOException {
        // Rejects a path that is not a steps dataset.
        StepsDataset.open(path).close();
        return super.call();
    }
}
