// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.plugin.CommandAlias;
import java.io.IOException;
import java.nio.file.Path;
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
            "  penstock game2048 steps export steps --format parquet --output x.parquet --where \"max_score >= 20000\""
        })
final class StepsExportCommand implements CommandAlias {
    @Override
    public String command() {
        return "export";
    }

    @Override
    public void require(Path path) throws IOException {
        StepsDataset.open(path).close();
    }
}
