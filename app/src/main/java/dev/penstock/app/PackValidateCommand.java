// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.Verification;
import dev.penstock.pack.PackReader;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.PackfileCommand;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Checks a pack quickly.
@CommandLine.Command(
        name = "validate",
        header = "Check the structure of a pack and a sample of its records.",
        description = "This is fast for packs of any size. To read every byte, use `penstock verify`.",
        footer = {"", "Example:", "  penstock pack validate runs.a2pack --sample 1000"})
final class PackValidateCommand extends PackfileCommand {
    @Option(
            names = "--sample",
            paramLabel = "N",
            defaultValue = "64",
            description = "Number of evenly spaced records to read (default: ${DEFAULT-VALUE}).")
    long sampleCount;

    @Override
    public Integer call() throws IOException {
        if (sampleCount < 0) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--sample must not be negative");
        }
        long recordCount = 0;
        Verification verification;
        try (PackReader pack = open()) {
            recordCount = pack.count();
            verification = pack.verifySample(sampleCount);
        } catch (DatasetException e) {
            verification = Verification.refused(e);
        }
        report(verification, recordCount);
        return verification.isOk() ? 0 : Failures.BAD_DATA;
    }

    private void report(Verification verification, long recordCount) {
        long sampled = Math.min(sampleCount, recordCount);
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>(Description.of(verification));
            json.put("records", recordCount);
            json.put("sampled", sampled);
            printJson(json);
            return;
        }
        VerificationText.lines(verification).forEach(this::print);
        if (verification.isOk()) {
            print("OK: " + path() + " (" + Text.number(recordCount) + " records, " + Text.number(sampled) + " read)");
        } else {
            print("INVALID: " + path() + " (" + VerificationText.count(verification) + ")");
        }
    }
}
