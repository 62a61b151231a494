// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Verification;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Colours;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import picocli.CommandLine;

/// Verifies every byte of a dataset.
@HelpSection(HelpSection.Name.CHECK)
@CommandLine.Command(
        name = "verify",
        header = "Read every byte of a dataset and list all problems.",
        description =
                "Exits with 1 if a record cannot be read as it was written. Warnings do not change the exit code.",
        footer = {"", "Example:", "  penstock verify runs.a2pack --json"})
final class VerifyCommand extends DatasetCommand {
    @Override
    public Integer call() throws IOException {
        Verification verification;
        try (ProgressBar progress = progress("verify", ProgressBar.Unit.BYTES)) {
            verification = Catalog.verify(path, options(), progress);
        }
        if (isJson) {
            printJson(Description.of(verification));
        } else {
            VerificationText.lines(verification).forEach(this::print);
            Colours colours = console.outColours();
            print((verification.isOk() ? colours.good("OK:") : colours.bad("BAD:")) + " " + path + ", "
                    + Text.bytes(verification.checkedBytes()) + " checked, " + VerificationText.count(verification));
        }
        return verification.isOk() ? 0 : Failures.BAD_DATA;
    }
}
