// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Locale;
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
            Map<String, Object> facts = entryFacts(pack);
            boolean isReadable = addContent(pack, facts);
            if (isJson) {
                printJson(Text.camelKeys(facts));
            } else {
                facts.forEach((label, value) -> print(label + ": " + Text.printable(String.valueOf(value))));
            }
            return isReadable ? 0 : Failures.BAD_DATA;
        }
    }

    private Map<String, Object> entryFacts(PackReader pack) {
        PackEntry entry = pack.entry(index);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packfile", path());
        facts.put("index", index);
        if (pack.name(index) != null) {
            facts.put("name", pack.name(index));
        }
        boolean isKnown = entry.kindCode() < PackKind.values().length;
        facts.put("kind", isKnown ? pack.kind(index).word() : "unknown " + entry.kindCode());
        facts.put("tombstone", entry.isTombstone());
        facts.put("offset", entry.offset());
        facts.put("stored_bytes", entry.storedSize());
        facts.put("codec", entry.isReadable() ? entry.codec().word() : "unknown flags " + entry.flags());
        facts.put("crc32c", entry.crc() == 0 ? null : String.format(Locale.ROOT, "%08x", entry.crc()));
        return facts;
    }

    /// A record that cannot be read is what people inspect: its entry is shown all the same, with the reason.
    private boolean addContent(PackReader pack, Map<String, Object> facts) throws IOException {
        try (Batch batch = Batch.create(pack.fields())) {
            pack.gather(new long[] {index}, batch);
            MemorySegment content = batch.column(0).value(0);
            facts.put("raw_bytes", content.byteSize());
            facts.put("content", RecordText.preview(content));
            return true;
        } catch (DatasetException e) {
            facts.put("problem", e.getMessage() + " [" + e.reason() + "]");
            return false;
        }
    }
}
