// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Damaged packs that were shown to the original program: we refuse what it refuses, in its words, and read what
/// it reads.
class PackGoldenDamageTest {
    private static final Path BAD = TestData.path("pack/bad");

    private static final Map<String, Reason> REASONS = Map.of(
            "malformed packfile: file too small", Reason.TRUNCATED,
            "malformed packfile: missing footer", Reason.TRUNCATED,
            "malformed packfile: bad magic", Reason.BAD_MAGIC,
            "malformed packfile: unsupported version", Reason.UNSUPPORTED_VERSION,
            "malformed packfile: index size overflow", Reason.SIZE_OVERFLOW,
            "malformed packfile: data offsets out of range", Reason.OUT_OF_RANGE,
            "malformed packfile: data_end mismatch", Reason.DATA_END_MISMATCH,
            "checksum mismatch: header", Reason.CHECKSUM,
            "checksum mismatch: index", Reason.CHECKSUM,
            "checksum mismatch: footer", Reason.CHECKSUM);

    /// Where we differ on purpose: a flag nobody knows is refused, because the bytes beneath would be taken for
    /// something else.
    private static final Map<String, Reason> STRICTER =
            Map.of("header-flags.a2pack", Reason.UNKNOWN_FLAGS, "entry-flags.a2pack", Reason.UNKNOWN_FLAGS);

    private static Json answers() throws IOException {
        return Json.read(TestData.path("pack/bad.json"));
    }

    private static List<String> named(String member) throws IOException {
        Json answers = answers();
        return answers.names().stream()
                .filter(name -> answers.get(name).get("library").has(member))
                .toList();
    }

    static List<String> refused() throws IOException {
        return named("open_err");
    }

    static List<String> opened() throws IOException {
        return named("entries");
    }

    private static PackReader open(String name, Access access) throws IOException {
        return PackReader.open(BAD.resolve(name), PackReader.Options.DEFAULT.withAccess(access));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatTheOriginalRefusesWeRefuseInItsWords(String name) throws IOException {
        String words = answers().get(name).get("library").get("open_err").text();
        for (Access access : Access.values()) {
            DatasetException refusal = assertThrows(
                    DatasetException.class, () -> open(name, access).close());
            assertEquals(REASONS.get(words), refusal.reason());
            assertTrue(refusal.getMessage().contains(words), refusal::getMessage);
            assertEquals(Location.of(BAD.resolve(name)), refusal.file());
            assertInstanceOf(typeOf(refusal.reason()), refusal);
        }
    }

    private static Class<? extends DatasetException> typeOf(Reason reason) {
        return switch (reason.name()) {
            case "BAD_MAGIC" -> DatasetException.WrongFormat.class;
            case "UNSUPPORTED_VERSION" -> DatasetException.UnsupportedVersion.class;
            default -> DatasetException.Corrupt.class;
        };
    }

    @ParameterizedTest
    @MethodSource("opened")
    void whatTheOriginalOpensGivesTheSameRecordsOrTheSameRefusals(String name) throws IOException {
        Json library = answers().get(name).get("library");
        for (Access access : Access.values()) {
            if (name.equals("header-flags.a2pack")) {
                DatasetException refusal = assertThrows(
                        DatasetException.class, () -> open(name, access).close());
                assertEquals(STRICTER.get(name), refusal.reason());
                continue;
            }
            try (PackReader reader = open(name, access)) {
                assertEquals(library.get("len").number(), reader.count());
                List<Json> entries = library.get("entries").items();
                for (int i = 0; i < entries.size(); i++) {
                    requireKind(entries.get(i), reader, i);
                    requireSlice(name, entries.get(i).get("slice"), reader, i);
                }
            }
        }
    }

    private static void requireKind(Json entry, PackReader reader, int index) {
        if (entry.get("kind").isText()) {
            assertEquals("run-" + entry.get("kind").text(), reader.kind(index).word());
        } else if (reader.entry(index).kindCode() == 0) {
            assertEquals(PackKind.OPAQUE, reader.kind(index), "kind 0 is ours");
        } else {
            DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> reader.kind(index));
            assertEquals(Reason.UNKNOWN_KIND, refusal.reason());
            assertTrue(
                    refusal.getMessage().contains(entry.get("kind").get("err").text()));
        }
    }

    private static void requireSlice(String name, Json slice, PackReader reader, int index) throws IOException {
        Reason stricter = reader.entry(index).flags() == 0 ? null : STRICTER.get(name);
        if (stricter == null && slice.has("len")) {
            assertEquals(slice.get("len").number(), reader.get(index).value(0).byteSize());
            String crc = String.format("%08x", Crc32c.of(reader.get(index).value(0)));
            assertEquals(slice.get("crc32c").text(), crc);
            return;
        }
        DatasetException refusal = assertThrows(DatasetException.class, () -> reader.get(index));
        if (stricter != null) {
            assertEquals(stricter, refusal.reason());
        } else {
            assertTrue(refusal.getMessage().contains(slice.get("err").text()), refusal::getMessage);
        }
        assertTrue(!reader.verify(Progress.NONE).isOk(), "verify reports it");
    }

    @Test
    void whatMadeTheOriginalPanicIsAnErrorHereOrNoneAtAll() throws IOException {
        assertEquals(List.of("count-2p59-minus-1.a2pack", "stats-offset-max.a2pack"), named("panic"));
        DatasetException refusal = assertThrows(
                DatasetException.Corrupt.class, () -> PackReader.open(BAD.resolve("count-2p59-minus-1.a2pack")));
        assertEquals(Reason.TRUNCATED, refusal.reason());
        try (PackReader reader = PackReader.open(BAD.resolve("stats-offset-max.a2pack"))) {
            assertTrue(reader.statsBlock().isEmpty());
            assertEquals(75, reader.get(0).value(0).byteSize());
            assertTrue(reader.verify(Progress.NONE).isOk());
            assertEquals(
                    Reason.BAD_STATS,
                    reader.verify(Progress.NONE).problems().getFirst().reason());
        }
    }

    @Test
    void messagesNameTheFileTheFailureAndTheByte() {
        requireMessage("first-27", "malformed packfile: file too small, 27 bytes where a header takes 28 (byte 27)");
        requireMessage("magic", "malformed packfile: bad magic, this is not a pack (byte 0)");
        requireMessage("version-2", "malformed packfile: unsupported version 2, this program reads version 1 (byte 8)");
        requireMessage("header-crc", "checksum mismatch: header (byte 24)");
        requireMessage("count-2p59", "malformed packfile: index size overflow, 576460752303423488 records (byte 16)");
        requireMessage(
                "first-155",
                "malformed packfile: missing footer, the index of 3 records does not fit in 155 bytes (byte 155)");
        requireMessage(
                "cut-1", "checksum mismatch: footer; the file may be truncated or still being copied (byte 416)");
        requireMessage("index-byte", "checksum mismatch: index (byte 28)");
        requireMessage(
                "offset-0",
                "malformed packfile: data offsets out of range, a record lies outside bytes 124 to 393 (byte 28)");
        requireMessage(
                "data-end-0",
                "malformed packfile: data_end mismatch, the records end at 374, the footer says 0 (byte 393)");
    }

    @Test
    void messagesAboutRecordsNameTheRecord() throws IOException {
        requireMessage(
                "payload-flip",
                1,
                "checksum mismatch: entry, record 1 has CRC 681ad1b2 but the index says e1dd9385 (byte 199)");
        requireMessage(
                "offset-wraps-data-end-fixed",
                2,
                "malformed packfile: slice overflow, record 2 of 105 bytes at byte 18446744073709551611 (byte 92)");
        requireMessage(
                "entry-flags",
                1,
                "record 1: unknown entry flags 0x1: a newer version wrote this pack, update to read it (byte 74)");
        try (PackReader reader = PackReader.open(BAD.resolve("kind-3.a2pack"))) {
            String message =
                    assertThrows(DatasetException.class, () -> reader.kind(1)).getMessage();
            assertEquals(
                    BAD.resolve("kind-3.a2pack") + ": malformed packfile: unknown kind 3 of record 1 (byte 72)",
                    message);
        }
    }

    private static void requireMessage(String name, String message) {
        Path file = BAD.resolve(name + ".a2pack");
        DatasetException refusal = assertThrows(DatasetException.class, () -> PackReader.open(file));
        assertEquals(file + ": " + message, refusal.getMessage());
    }

    private static void requireMessage(String name, int index, String message) throws IOException {
        Path file = BAD.resolve(name + ".a2pack");
        try (PackReader reader = PackReader.open(file)) {
            DatasetException refusal = assertThrows(DatasetException.class, () -> reader.get(index));
            assertEquals(file + ": " + message, refusal.getMessage());
        }
    }
}
