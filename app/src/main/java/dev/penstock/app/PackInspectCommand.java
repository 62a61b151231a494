// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.PackfileCommand;
import dev.penstock.plugin.RecordText;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Shows one record and its index entry.
@CommandLine.Command(
        name = "inspect",
        header = "Show the index entry and the first bytes of a record, or the metadata of a run.",
        description = "`penstock get` writes a record of any format as a whole.",
        footer = {"", "Example:", "  penstock pack inspect runs.a2pack --index 5"})
final class PackInspectCommand extends PackfileCommand {
    @Option(names = "--index", required = true, paramLabel = "I", description = "The index of the record, from 0.")
    long index;

    @Option(names = "--storage", description = "Show the index entry for a run, too.")
    boolean isStorage;

    @Override
    public Integer call() throws IOException {
        try (PackReader pack = open()) {
            IndexRanges.require(spec, pack, index);
            Map<String, Object> content = contentFacts(pack);
            if (!content.isEmpty() && !isStorage && !isJson) {
                content.forEach((label, value) -> print(label + ": " + Text.figure(value)));
                return 0;
            }
            Map<String, Object> facts = entryFacts(pack);
            boolean isReadable = addContent(pack, facts);
            if (isJson) {
                Map<String, Object> json = Text.camelKeys(facts);
                json.putAll(content);
                printJson(json);
            } else {
                facts.forEach((label, value) -> print(label + ": " + Text.printable(String.valueOf(value))));
            }
            return isReadable ? 0 : Failures.BAD_DATA;
        }
    }

    /// What the family of the record tells about its content; empty if it has no family or is invalid.
    private Map<String, Object> contentFacts(PackReader pack) throws IOException {
        Optional<RecordFamily> family =
                PackKind.of(pack.entry(index).kindCode()).flatMap(RecordFamily::of);
        Map<String, Object> content = family.isEmpty() ? Map.of() : family.get().describe(pack, index);
        if (content.isEmpty()) {
            return content;
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packfile", path());
        facts.put("index", index);
        facts.putAll(content);
        return facts;
    }

    private Map<String, Object> entryFacts(PackReader pack) {
        PackEntry entry = pack.entry(index);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packfile", path());
        facts.put("index", index);
        if (pack.name(index) != null) {
            facts.put("name", pack.name(index));
        }
        facts.put("kind", PackKind.of(entry.kindCode()).map(PackKind::word).orElse("unknown " + entry.kindCode()));
        facts.put("tombstone", entry.isTombstone());
        facts.put("offset", entry.offset());
        facts.put("stored_bytes", entry.storedSize());
        facts.put("codec", entry.isReadable() ? entry.codec().word() : "unknown flags " + entry.flags());
        facts.put("crc32c", entry.crc() == 0 ? null : String.format(Locale.ROOT, "%08x", entry.crc()));
        return facts;
    }

    /// A record that cannot be read is still shown with its entry and the reason.
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
