// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.game2048.Board;
import dev.penstock.game2048.NumberText;
import dev.penstock.game2048.Run;
import dev.penstock.game2048.RunMeta;
import dev.penstock.game2048.RunPack;
import dev.penstock.pack.PackEntry;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
            DatasetCommand.requireRecord(spec, pack, index);
            Map<String, Object> run = runFacts(pack);
            if (run != null && !isStorage && !isJson) {
                run.forEach((label, value) -> print(label + ": " + value));
                return 0;
            }
            Map<String, Object> facts = entryFacts(pack);
            boolean isReadable = addContent(pack, facts);
            if (isJson) {
                Map<String, Object> json = Text.camelKeys(facts);
                json.putAll(run == null ? Map.of() : run);
                printJson(json);
            } else {
                facts.forEach((label, value) -> print(label + ": " + Text.printable(String.valueOf(value))));
            }
            return isReadable ? 0 : Failures.BAD_DATA;
        }
    }

    /// The fields that the original program prints for a run, or null when the record is not a valid run.
    private Map<String, Object> runFacts(PackReader pack) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            Run run = pack.kind(index) == PackKind.OPAQUE || runs.isTombstone(index) ? null : runs.run(index);
            if (run == null) {
                return null;
            }
            RunMeta meta = run.meta();
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("packfile", path());
            facts.put("index", index);
            facts.put("steps", meta.steps());
            facts.put("max_score", unsigned(meta.maxScore()));
            facts.put("highest_tile", meta.highestTile());
            facts.put("start_unix_s", unsigned(meta.startUnixS()));
            facts.put("elapsed_s", isJson ? meta.elapsedS() : NumberText.fixed3(meta.elapsedS()));
            facts.put("final_board", Board.text(run.finalBoard()));
            return facts;
        } catch (DatasetException e) {
            return null;
        }
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
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
