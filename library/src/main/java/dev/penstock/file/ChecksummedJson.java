// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A small file that holds one JSON object with its own checksum, and is published atomically.
///
/// The last key of the object is `crc32c`: eight hexadecimal digits, the CRC-32C of all bytes before the opening
/// quote of that key. Programs that do not know the key can still read the object.
public final class ChecksummedJson {
    private static final int READ_ATTEMPTS = 4;

    private static final String KEY = "\"crc32c\"";

    /// The end of the text: the checksum key, its value and the closing brace.
    private static final Pattern TAIL = Pattern.compile("\"crc32c\": ?\"([0-9a-f]{8})\"\\s*\\}\\s*");

    private ChecksummedJson() {}

    /// Encodes these values as the bytes of a file.
    ///
    /// @throws IllegalArgumentException when the result is larger than a reader accepts
    public static byte[] write(Map<String, ?> values) {
        String text = Json.text(values);
        String separator = values.isEmpty() ? "" : ",";
        byte[] body = (text.substring(0, text.length() - 1) + separator).getBytes(StandardCharsets.UTF_8);
        byte[] tail = (KEY + ":\"" + crc(body, body.length) + "\"}\n").getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(body, body.length + tail.length);
        System.arraycopy(tail, 0, all, body.length, tail.length);
        if (all.length > Json.SIZE_MAX) {
            throw new IllegalArgumentException(
                    "the values take " + all.length + " bytes as JSON, but the limit is " + Json.SIZE_MAX + " bytes");
        }
        return all;
    }

    /// Reads a file of at most [Json#SIZE_MAX] bytes. Returns null when the file does not exist.
    public static byte[] read(Disk disk, Path file) throws IOException {
        return read(Storage.of(disk), Location.of(file));
    }

    /// Reads a file or object of at most [Json#SIZE_MAX] bytes. Returns null when it does not exist.
    public static byte[] read(Storage storage, Location file) throws IOException {
        NoSuchFileException missing = null;
        for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
            if (!storage.exists(file) || storage.isFolder(file)) {
                return null;
            }
            try (Disk.Readable readable = storage.open(file)) {
                byte[] bytes = new byte[(int) Math.min(readable.size(), Json.SIZE_MAX)];
                return Arrays.copyOf(bytes, (int) readable.read(0, MemorySegment.ofArray(bytes)));
            } catch (NoSuchFileException e) {
                // Another process has removed it, and may put another file in its place.
                missing = e;
            }
        }
        // It is a symbolic link to a missing file. The link shows that there should be a file, so it is not ignored.
        throw missing;
    }

    /// Decodes the bytes of a file.
    ///
    /// @throws IllegalArgumentException when the checksum differs, or the bytes are not a JSON object
    public static Map<?, ?> parse(byte[] bytes) {
        if (!isIntact(bytes)) {
            throw new IllegalArgumentException("its checksum does not match its content");
        }
        if (!(Json.parse(bytes) instanceof Map<?, ?> values)) {
            throw new IllegalArgumentException("it is not a JSON object");
        }
        return values;
    }

    /// Decodes the bytes of a manifest.
    ///
    /// @param known  the version that the caller reads
    /// @param advice the end of messages: what a user can do
    /// @param parser makes the result of the values, and throws `IllegalArgumentException` where they are wrong
    /// @throws DatasetException when the manifest is damaged or has a newer version
    public static <T> T decode(Location file, byte[] bytes, long known, String advice, Function<JsonObject, T> parser) {
        requireVersion(file, bytes, known, advice);
        try {
            return parser.apply(new JsonObject(parse(bytes)));
        } catch (IllegalArgumentException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the manifest is damaged: " + e.getMessage() + advice, e);
        }
    }

    /// Refuses a newer version, whose text may end differently. If the text ends like ours but its checksum
    /// differs, the version number itself may be damaged, and the caller reports the damage.
    ///
    /// @param known  the version that the caller reads
    /// @param advice the end of the message: what a user can do
    /// @throws DatasetException.UnsupportedVersion when the key `version` has a larger number
    public static void requireVersion(Location file, byte[] bytes, long known, String advice) {
        if (hasChecksum(bytes) && !isIntact(bytes)) {
            return;
        }
        Object values;
        try {
            values = Json.parse(bytes);
        } catch (IllegalArgumentException e) {
            // Not JSON: the caller reports the damage.
            return;
        }
        if (values instanceof Map<?, ?> map && map.get("version") instanceof Long version && version > known) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    0,
                    Reason.UNSUPPORTED_VERSION,
                    "the manifest has version " + version + ", but this program reads version " + known + advice);
        }
    }

    /// Whether the text ends with a checksum, correct or not.
    public static boolean hasChecksum(byte[] bytes) {
        return tail(text(bytes)).matches();
    }

    /// Whether the text ends with the correct checksum.
    public static boolean isIntact(byte[] bytes) {
        String text = text(bytes);
        Matcher tail = tail(text);
        return tail.matches() && tail.group(1).equals(crc(bytes, text.lastIndexOf(KEY)));
    }

    /// Writes a file durably and atomically, and replaces an existing one.
    public static void publish(Disk disk, Path path, byte[] bytes) throws IOException {
        publish(disk, path, bytes, path);
    }

    /// @param like the file of the same dataset whose mode, owner and group a new file gets
    public static void publish(Disk disk, Path path, byte[] bytes, Path like) throws IOException {
        try (NewFile file = NewFile.createLike(disk, path, like, true)) {
            file.write(MemorySegment.ofArray(bytes), 0);
            file.publish();
        }
    }

    /// Formats a checksum as it is written in files.
    public static String hex(int crc) {
        return HexFormat.of().toHexDigits(crc);
    }

    /// The end of a text, starting at the last checksum key.
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
