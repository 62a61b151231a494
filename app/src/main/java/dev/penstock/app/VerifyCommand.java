// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Verification;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import picocli.CommandLine;

/// Checks every byte of a dataset.
@CommandLine.Command(
        name = "verify",
        header = "Read every byte of a dataset and list what is wrong with it.",
        description = "Exits with 1 when a record cannot be read as it was written. Warnings do not count.",
        footer = {"", "Example:", "  penstock verify runs.a2pack --json"})
final class VerifyCommand extends DatasetCommand {
    @Override
    public Integer call() throws IOException {
        Verification verification;
        try (ProgressBar progress = progress("verify", ProgressBar.Unit.BYTES)) {
            verification = Catalog.verify(path, io.options().withLenient(isLenient), progress);
        }
        if (isJson) {
            printJson(VerificationText.json(verification));
        } else {
            VerificationText.lines(verification).forEach(this::print);
            print((verification.isOk() ? "OK: " : "BAD: ") + path + ", " + Text.bytes(verification.checkedBytes())
                    + " checked, " + VerificationText.count(verification));
        }
        return verification.isOk() ? 0 : Failures.BAD_DATA;
    }
}
