// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that work on any format, here on arrays in `.npz` archives.
final class ArchiveCommandTest {
    @TempDir
    Path folder;

    private Path array;
    private Path archive;
    private Path member;

    @BeforeEach
    void writeArchive() throws IOException {
        array = Tables.write(folder.resolve("rows.npy"), 20);
        archive = write("stored.npz", ZipOutputStream.STORED, "first.npy", "rows.npy");
        member = archive.resolve("rows");
    }

    private Path write(String name, int method, String... members) throws IOException {
        byte[] bytes = Files.readAllBytes(array);
        Path file = folder.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.setMethod(method);
            for (String each : members) {
                ZipEntry entry = new ZipEntry(each);
                CRC32 crc = new CRC32();
                crc.update(bytes);
                entry.setCrc(crc.getValue());
                entry.setSize(bytes.length);
                zip.putNextEntry(entry);
                zip.write(bytes);
            }
        }
        return file;
    }

    private static String out(Object... arguments) {
        CommandRun run = CommandRun.of(arguments);
        assertEquals(0, run.exitCode(), run.err());
        return run.out();
    }

    @Test
    void commandsSayTheSameOfTheArrayAsOfAFileOfItsOwn() {
        List<List<String>> commands = List.of(
                List.of("head", "-n", "3"),
                List.of("head", "-n", "3", "--json"),
                List.of("head", "--where", "kind == 2"),
                List.of("get", "7"),
                List.of("stats"),
                List.of("stats", "--json"),
                List.of("export", "--format", "csv", "--output", "-"),
                List.of("fingerprint"),
                List.of("fingerprint", "--full"));
        for (List<String> command : commands) {
            String expected = out(arguments(command, array)).replace(array.toString(), "FILE");
            assertEquals(
                    expected, out(arguments(command, member)).replace(member.toString(), "FILE"), command::toString);
        }
    }

    private static Object[] arguments(List<String> command, Path file) {
        Object[] arguments = new Object[command.size() + 1];
        arguments[0] = command.getFirst();
        arguments[1] = file;
        for (int i = 1; i < command.size(); i++) {
            arguments[i + 1] = command.get(i);
        }
        return arguments;
    }

    @Test
    void infoAndVerifyNameTheMember() {
        assertTrue(out("info", member).startsWith(member + ": table, version 1"));
        assertTrue(out("info", member, "--json").contains("\"member\":\"rows.npy\""));
        assertTrue(out("verify", member).startsWith("OK: " + member));
    }

    @Test
    void anArchiveOfSeveralArraysNamesThem() {
        CommandRun run = CommandRun.of("info", archive);
        assertEquals(1, run.exitCode());
        assertTrue(
                run.err().contains("several arrays; open " + archive.resolve("NAME") + ", with NAME first or rows"),
                run.err());
        CommandRun absent = CommandRun.of("info", archive.resolve("none"));
        assertEquals(3, absent.exitCode());
    }

    @Test
    void aCompressedArrayIsRefusedWithWhatToDo() throws IOException {
        Path compressed = write("compressed.npz", ZipOutputStream.DEFLATED, "rows.npy");
        CommandRun run = CommandRun.of("head", compressed);
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("np.savez instead of np.savez_compressed"), run.err());
        assertEquals(1, CommandRun.of("verify", compressed).exitCode());
    }

    @Test
    void aFlippedBitIsFoundByVerify() throws IOException {
        byte[] bytes = Files.readAllBytes(archive);
        // Well inside the rows of the second array.
        int at = bytes.length / 2 + 400;
        bytes[at] ^= 1;
        Files.write(archive, bytes);
        CommandRun run = CommandRun.of("verify", member);
        assertEquals(1, run.exitCode(), run.out());
        assertTrue(run.out().contains("CRC-32"), run.out());
    }
}
