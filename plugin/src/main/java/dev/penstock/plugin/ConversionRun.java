// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.convert.Conversion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Runs a conversion for a command.
public final class ConversionRun {
    private ConversionRun() {}

    /// Runs a conversion with progress bars. If the disk fails, a remark says where the converted part is.
    public static Conversion.Report of(Command command, Conversion conversion, Path output) throws IOException {
        try (ProgressBar copying = command.progress("copy", ProgressBar.Unit.RECORDS);
                ProgressBar verifying = command.progress("compare", ProgressBar.Unit.RECORDS)) {
            return conversion.run(copying, verifying);
        } catch (IOException e) {
            Optional<Path> unfinished = Conversion.unfinished(output);
            if (unfinished.isPresent()) {
                command.remark("The converted part is in " + unfinished.get()
                        + "; run the same command to continue, or to start again if the format cannot be continued.");
            }
            throw e;
        }
    }
}
