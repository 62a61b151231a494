// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Writes the indices of the records that match.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "select",
        header = "Write the indices of the records that match a condition, as a NumPy array of int64.",
        description = "`penstock table select` is the same command. Conditions compare fields with numbers and strings"
                + " (== != < <= > >=, in, is null),"
                + " combined with and, or, not and parentheses; ev[2] is an element of a field with a shape.",
        footer = {"", "Example:", "  penstock select steps.npy --where \"move == 2 and ev_legal > 3\" --output idx.npy"
        })
final class SelectCommand extends DatasetsCommand {
    @Option(names = "--where", required = true, paramLabel = "COND", description = "The condition.")
    String condition;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The output file, which must end in .npy.")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        if (!output.toString().endsWith(".npy")) {
            throw new CommandLine.ParameterException(spec.commandLine(), "the output must end in .npy");
        }
        try (Dataset dataset = open();
                ProgressBar progress = progress("select", ProgressBar.Unit.RECORDS)) {
            Scan scan = Scan.of(dataset)
                    .withFields(List.of())
                    .withWhere(Where.parse(condition, dataset.conditionFields()))
                    .withProgress(progress);
            report(write(scan), dataset.count());
        }
        return 0;
    }

    private long write(Scan scan) throws IOException {
        RowType index = RowType.of(DType.parse("<i8"));
        TableWriter writer =
                TableWriter.create(output, index, TableWriter.Options.DEFAULT.withReplacing(overwrite.isGiven));
        try {
            scan.forEach(chunk -> writer.append(MemorySegment.ofArray(chunk.indices())));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        return writer.rowCount();
    }

    private void report(long matchCount, long recordCount) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("matches", matchCount);
            json.put("records", recordCount);
            printJson(json);
        } else {
            remark(Text.number(matchCount) + " of " + Text.number(recordCount) + " records match; their indices are in "
                    + output);
        }
    }
}
