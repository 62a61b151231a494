// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// One record and its entry.
@CommandLine.Command(
        name = "inspect",
        header = "Show what the index says about one record, and how its content begins.",
        footer = {"", "Example:", "  penstock pack inspect runs.a2pack --index 5"})
final class PackInspectCommand extends PackfileCommand {
    @Option(names = "--index", required = true, paramLabel = "I", description = "Which record, counted from 0.")
    long index;

    @Override
    public Integer call() throws IOException {
        try (PackReader pack = open()) {
            DatasetCommand.requireRecord(spec, pack, index);
            Map<String, Object> facts = facts(pack);
            if (isJson) {
                printJson(facts);
            } else {
                facts.forEach((label, value) -> print(label + ": " + value));
            }
        }
        return 0;
    }

    private Map<String, Object> facts(PackReader pack) throws IOException {
        PackEntry entry = pack.entry(index);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packfile", path());
        facts.put("index", index);
        if (pack.name(index) != null) {
            facts.put("name", pack.name(index));
        }
        facts.put("kind", pack.kind(index).word());
        facts.put("tombstone", entry.isTombstone());
        facts.put("offset", entry.offset());
        facts.put("stored_bytes", entry.storedSize());
        try (Batch batch = Batch.create(pack.fields())) {
            pack.gather(new long[] {index}, batch);
            MemorySegment content = batch.column(0).value(0);
            facts.put("codec", entry.codec().word());
            facts.put("raw_bytes", content.byteSize());
            facts.put("crc32c", entry.crc() == 0 ? "not stored" : String.format("%08x", entry.crc()));
            facts.put("content", RecordText.preview(content));
        }
        return facts;
    }
}
