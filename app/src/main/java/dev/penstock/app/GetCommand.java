// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.RecordText;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes one record.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "get",
        header = "Write one record to standard output: byte records unchanged, typed fields as text.",
        footer = {
            "",
            "Example:",
            "  penstock get photos.a2pack 17 > photo.jpg",
            "  penstock get photos.a2pack --name cats/1.jpg > photo.jpg",
            "  penstock get steps.npy 17 --json"
        })
final class GetCommand extends DatasetCommand {
    private static final long PIECE_SIZE = 1 << 20;

    @Parameters(index = "1", arity = "0..1", paramLabel = "INDEX", description = "The index of the record, from 0.")
    Long index;

    @Option(names = "--name", paramLabel = "KEY", description = "The name of the record, instead of its index.")
    String name;

    @Override
    public Integer call() throws IOException {
        try (Dataset dataset = open();
                Batch batch = Batch.create(dataset.fields())) {
            long index = index(dataset);
            dataset.gather(new long[] {index}, batch);
            if (isJson) {
                printJson(RecordText.json(dataset, index, batch, 0));
            } else if (RecordText.isDeleted(dataset, index)) {
                throw new IllegalArgumentException("record " + index + " was deleted");
            } else if (RecordText.isBytes(dataset)) {
                if (batch.column(0).isMissing(0)) {
                    throw new IllegalArgumentException("record " + index + " has no value");
                }
                writeBytes(batch.column(0).value(0));
            } else {
                for (Column column : batch.columns()) {
                    print(Text.row(Text.printable(column.field().name()), RecordText.value(column, 0)));
                }
            }
        }
        return 0;
    }

    private long index(Dataset dataset) throws IOException {
        if ((index == null) == (name == null)) {
            throw new CommandLine.ParameterException(spec.commandLine(), "give either the INDEX of a record or --name");
        }
        if (index != null) {
            IndexRanges.require(spec, dataset, index);
            return index;
        }
        try (RecordKeys keys = RecordKeys.open(dataset, options().reading())) {
            return keys.find(name)
                    .orElseThrow(() -> new IllegalArgumentException("no record of " + path + " has the name " + name));
        }
    }

    private void writeBytes(MemorySegment value) throws IOException {
        for (long done = 0; done < value.byteSize(); done += PIECE_SIZE) {
            byte[] piece = RecordText.toArray(value.asSlice(done, Math.min(PIECE_SIZE, value.byteSize() - done)));
            data().write(piece);
        }
    }
}
