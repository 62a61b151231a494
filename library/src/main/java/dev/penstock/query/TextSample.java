// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/// The beginning of a text, to be shown.
///
/// @param text    the first characters; bytes that are no text in hexadecimal
/// @param isWhole whether that is all of it, as text
/// @param size    the size of the whole in bytes
record TextSample(String text, boolean isWhole, long size) {
    private static final int SHOWN_BYTES = 96;
    private static final int HEX_BYTES = 16;

    /// @param limit the end of the value, without padding
    static TextSample of(ElementType type, MemorySegment values, long start, long limit) {
        long size = limit - start;
        if (type == ElementType.UTF32) {
            long shown = Math.min(size, SHOWN_BYTES * ElementType.UTF32.size());
            return new TextSample(Elements.toText(type, values, start, shown), shown == size, size);
        }
        byte[] head = values.asSlice(start, Math.min(size, SHOWN_BYTES)).toArray(ValueLayout.JAVA_BYTE);
        boolean isCut = head.length < size;
        for (int cut = 0; cut <= (isCut ? 3 : 0) && cut <= head.length; cut++) {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(head, 0, head.length - cut);
                String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
                boolean isPlain = text.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t');
                if (isPlain) {
                    return new TextSample(text, !isCut, size);
                }
            } catch (CharacterCodingException e) {
                // The last character is cut, or these are no characters.
            }
        }
        byte[] start16 = Arrays.copyOf(head, Math.min(head.length, HEX_BYTES));
        return new TextSample("0x" + HexFormat.of().formatHex(start16), false, size);
    }

    /// A hash of a value, the same for equal bytes.
    static long hash(MemorySegment values, long start, long limit) {
        long hash = limit - start;
        long at = start;
        for (; at + Long.BYTES <= limit; at += Long.BYTES) {
            hash = DistinctCount.mix(hash * 31 + values.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
        }
        for (; at < limit; at++) {
            hash = DistinctCount.mix(hash * 31 + values.get(ValueLayout.JAVA_BYTE, at));
        }
        return DistinctCount.mix(hash + 1);
    }
}
