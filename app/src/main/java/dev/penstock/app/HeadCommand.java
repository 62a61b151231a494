// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.memory.Json;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// The first records.
@CommandLine.Command(
        name = "head",
        header = "Show the first records of a dataset.",
        footer = {"", "Example:", "  penstock head runs.a2pack -n 3"})
final class HeadCommand extends DatasetCommand {
    @Option(names = "-n", paramLabel = "N", defaultValue = "10", description = "How many (default: ${DEFAULT-VALUE}).")
    long recordCount;

    @Override
    public Integer call() throws IOException {
        if (recordCount < 0) {
            throw new CommandLine.ParameterException(spec.commandLine(), "-n must not be negative");
        }
        try (Dataset dataset = open();
                Batch batch = Batch.create(dataset.fields())) {
            long limit = Math.min(recordCount, dataset.count());
            for (long index = 0; index < limit; index++) {
                dataset.gather(new long[] {index}, batch);
                if (isJson) {
                    String record = Json.text(RecordText.json(dataset, index, batch, 0));
                    print((index == 0 ? "[" : "") + record + (index + 1 < limit ? "," : "]"));
                } else {
                    print(RecordText.line(dataset, index, batch, 0));
                }
            }
            if (isJson && limit == 0) {
                print("[]");
            }
            if (limit < dataset.count()) {
                remark("... " + Text.number(dataset.count() - limit) + " more");
            }
        }
        return 0;
    }
}
