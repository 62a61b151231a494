// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Recognises by its first bytes what a value is, as far as a browser can show it; [ImageSize] has the size of a
/// picture.
///
/// Only pictures and sounds that contain no scripts have a type. SVG is text here.
public final class Media {
    private static final int HEAD_SIZE = 4096;

    /// The longest character in UTF-8.
    private static final int CHARACTER_SIZE_MAX = 4;

    private Media() {}

    /// The MIME type of a picture or a sound, or null for everything else.
    public static String type(MemorySegment value) {
        byte[] head = head(value, 16);
        if (has(head, 0, 0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a)) {
            return "image/png";
        } else if (has(head, 0, 0xff, 0xd8, 0xff)) {
            return "image/jpeg";
        } else if (has(head, 0, 'G', 'I', 'F', '8')) {
            return "image/gif";
        } else if (has(head, 0, 'R', 'I', 'F', 'F') && has(head, 8, 'W', 'E', 'B', 'P')) {
            return "image/webp";
        } else if (has(head, 4, 'f', 't', 'y', 'p', 'a', 'v', 'i', 'f')) {
            return "image/avif";
        } else if (has(head, 0, 'B', 'M') && isBitmap(value)) {
            return "image/bmp";
        } else if (has(head, 0, 'R', 'I', 'F', 'F') && has(head, 8, 'W', 'A', 'V', 'E')) {
            return "audio/wav";
        } else if (has(head, 0, 'f', 'L', 'a', 'C')) {
            return "audio/flac";
        } else if (has(head, 0, 'O', 'g', 'g', 'S')) {
            return "audio/ogg";
        } else if (has(head, 0, 'I', 'D', '3') || has(head, 0, 0xff, 0xfb)) {
            return "audio/mpeg";
        }
        return null;
    }

    /// The first letters alone could be those of a text; a bitmap also says how long it is.
    private static boolean isBitmap(MemorySegment value) {
        return value.byteSize() > 26 && value.get(ValueLayout.JAVA_INT_UNALIGNED, 2) == value.byteSize();
    }

    private static boolean has(byte[] head, int offset, int... magic) {
        if (head.length < offset + magic.length) {
            return false;
        }
        for (int i = 0; i < magic.length; i++) {
            if ((head[offset + i] & 0xff) != magic[i]) {
                return false;
            }
        }
        return true;
    }

    /// Whether the beginning of a value is text in UTF-8, without control characters.
    public static boolean isText(MemorySegment value) {
        byte[] head = head(value, HEAD_SIZE);
        boolean isCut = value.byteSize() > head.length;
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer bytes = ByteBuffer.wrap(head);
        CharBuffer text = CharBuffer.allocate(head.length + 1);
        boolean isValid = !decoder.decode(bytes, text, !isCut).isError() && bytes.remaining() < CHARACTER_SIZE_MAX;
        return isValid && text.flip().chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t');
    }

    private static byte[] head(MemorySegment value, int size) {
        return Arrays.copyOf(value.asSlice(0, Math.min(size, value.byteSize())).toArray(ValueLayout.JAVA_BYTE), (int)
                Math.min(size, value.byteSize()));
    }
}
