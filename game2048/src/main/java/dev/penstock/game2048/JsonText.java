// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A builder of JSON text in memory. If a stream is given, the text is written there piece by piece.
///
/// **Threads.** One thread at a time.
final class JsonText {
    private static final int PIECE_SIZE = 1 << 16;
    private static final int NUMBER_SIZE_MAX = 20;

    private final OutputStream stream;
    private byte[] bytes = new byte[PIECE_SIZE + 64];
    private int size;

    /// @param stream the target, or null to keep everything in memory
    JsonText(OutputStream stream) {
        this.stream = stream;
    }

    private void reserve(int byteCount) throws IOException {
        if (stream != null && size >= PIECE_SIZE) {
            flush();
        }
        if (bytes.length - size < byteCount) {
            bytes = Arrays.copyOf(bytes, Math.addExact(Math.multiplyExact(bytes.length, 2), byteCount));
        }
    }

    /// Writes the collected text to the stream.
    void flush() throws IOException {
        writeTo(stream);
    }

    /// Writes the collected text and clears it.
    void writeTo(OutputStream target) throws IOException {
        target.write(bytes, 0, size);
        size = 0;
    }

    /// Adds plain ASCII text.
    @SuppressWarnings("deprecation")
    JsonText add(String ascii) throws IOException {
        reserve(ascii.length());
        ascii.getBytes(0, ascii.length(), bytes, size);
        size += ascii.length();
        return this;
    }

    /// Adds an unsigned number.
    JsonText add(long number) throws IOException {
        if (number < 0) {
            return add(Long.toUnsignedString(number));
        }
        reserve(NUMBER_SIZE_MAX);
        int digits = 1;
        for (long limit = 10; digits < 19 && number >= limit; limit *= 10) {
            digits++;
        }
        long rest = number;
        for (int i = size + digits - 1; i >= size; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += digits;
        return this;
    }

    /// Adds any text in quotes, or null.
    JsonText addQuoted(String text) throws IOException {
        byte[] quoted = Json.text(text).getBytes(StandardCharsets.UTF_8);
        reserve(quoted.length);
        System.arraycopy(quoted, 0, bytes, size, quoted.length);
        size += quoted.length;
        return this;
    }

    /// Adds the float with these bits.
    JsonText addFloat(int bits) throws IOException {
        return switch (bits) {
            case 0 -> add("0.0");
            case 0x3F80_0000 -> add("1.0");
            case Branches.BEST_BITS -> add("0.9999999");
            default -> add(NumberText.json(Float.intBitsToFloat(bits)));
        };
    }
}
