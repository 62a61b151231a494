// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A small file with one JSON object that carries its own checksum, and appears in one step.
///
/// The last key of the object is `crc32c`: eight hexadecimal digits, the CRC-32C of all bytes before the quotation
/// mark of that key. A program that does not know the key can read the object all the same.
public final class ChecksummedJson {
    private static final String KEY = "\"crc32c\"";

    /// How the text ends.
    private static final Pattern TAIL = Pattern.compile("\"crc32c\": ?\"([0-9a-f]{8})\"\\s*\\}\\s*");

    private ChecksummedJson() {}

    /// The bytes of a file with these values.
    ///
    /// @throws IllegalArgumentException when they are too many to be read again
    public static byte[] write(Map<String, ?> values) {
        String text = Json.text(values);
        String separator = values.isEmpty() ? "" : ",";
        byte[] body = (text.substring(0, text.length() - 1) + separator).getBytes(StandardCharsets.UTF_8);
        byte[] tail = (KEY + ":\"" + crc(body, body.length) + "\"}\n").getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(body, body.length + tail.length);
        System.arraycopy(tail, 0, all, body.length, tail.length);
        if (all.length > Json.SIZE_MAX) {
            throw new IllegalArgumentException("the values take " + all.length + " bytes as JSON, and at most "
                    + Json.SIZE_MAX + " could be read again");
        }
        return all;
    }

    /// The bytes of a file, at most [Json#SIZE_MAX] of them; null when there is no such file.
    public static byte[] read(Disk disk, Path file) throws IOException {
        return read(RangeStore.of(disk), Location.of(file));
    }

    /// The bytes of a file or object, at most [Json#SIZE_MAX] of them; null when there is none.
    public static byte[] read(RangeStore store, Location file) throws IOException {
        if (!store.exists(file) || store.isFolder(file)) {
            return null;
        }
        try (Disk.Readable readable = store.open(file)) {
            byte[] bytes = new byte[(int) Math.min(readable.size(), Json.SIZE_MAX)];
            return Arrays.copyOf(bytes, (int) readable.read(0, MemorySegment.ofArray(bytes)));
        }
    }

    /// The values of a file that was read.
    ///
    /// @throws IllegalArgumentException when the checksum differs, or it is no JSON object; the message says which
    public static Map<?, ?> parse(byte[] bytes) {
        if (!isIntact(bytes)) {
            throw new IllegalArgumentException("its own checksum differs");
        }
        if (!(Json.parse(bytes) instanceof Map<?, ?> values)) {
            throw new IllegalArgumentException("it is no object");
        }
        return values;
    }

    /// Whether the text ends with a checksum, right or wrong.
    public static boolean hasChecksum(byte[] bytes) {
        return tail(text(bytes)).matches();
    }

    /// Whether the text ends with the right checksum.
    public static boolean isIntact(byte[] bytes) {
        String text = text(bytes);
        Matcher tail = tail(text);
        return tail.matches() && tail.group(1).equals(crc(bytes, text.lastIndexOf(KEY)));
    }

    /// Puts a file in place in one step, durably, instead of the one that is there.
    public static void publish(Disk disk, Path path, byte[] bytes) throws IOException {
        try (NewFile file = NewFile.create(disk, path, true)) {
            file.write(MemorySegment.ofArray(bytes), 0);
            file.publish();
        }
    }

    /// A checksum as it is written.
    public static String hex(int crc) {
        return HexFormat.of().toHexDigits(crc);
    }

    /// The end of a text, from the last checksum in it on.
    private static Matcher tail(String text) {
        return TAIL.matcher(text.substring(Math.max(0, text.lastIndexOf(KEY))));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String crc(byte[] bytes, int limit) {
        return hex(Crc32c.of(MemorySegment.ofArray(bytes).asSlice(0, limit)));
    }
}
