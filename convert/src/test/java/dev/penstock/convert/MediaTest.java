// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/// What a value is, by its first bytes.
final class MediaTest {
    private static MemorySegment bytes(String latin) {
        return MemorySegment.ofArray(latin.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void picturesAndSoundsAreRecognised() {
        assertEquals("image/png", Media.type(bytes("\u0089PNG\r\n\u001a\n....")));
        assertEquals("image/jpeg", Media.type(bytes("\u00ff\u00d8\u00ff\u00e0")));
        assertEquals("image/gif", Media.type(bytes("GIF89a")));
        assertEquals("image/webp", Media.type(bytes("RIFF1234WEBPVP8 ")));
        assertEquals("audio/wav", Media.type(bytes("RIFF1234WAVEfmt ")));
        assertEquals("audio/flac", Media.type(bytes("fLaC")));
    }

    @Test
    void whatCanRunScriptsIsNeverMedia() {
        assertNull(Media.type(bytes("<svg xmlns=\"http://www.w3.org/2000/svg\">")));
        assertNull(Media.type(bytes("<?xml version=\"1.0\"?><svg>")));
        assertNull(Media.type(bytes("<!DOCTYPE html><script>")));
        assertNull(Media.type(bytes("%PDF-1.7")));
        assertNull(Media.type(bytes("BM, a text that begins like a bitmap and is long enough")));
        assertNull(Media.type(bytes("")));
    }

    @Test
    void sizesOfPicturesAreReadFromTheirHeaders() throws IOException {
        for (String format : List.of("png", "jpg", "gif", "bmp")) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            assertTrue(ImageIO.write(new BufferedImage(300, 7, BufferedImage.TYPE_INT_RGB), format, bytes));
            assertSized(bytes.toByteArray());
        }
        // As Pillow writes WebP: lossy, lossless, and with an alpha channel.
        for (String hex : List.of(
                "524946463a00000057454250565038202e000000b003009d012a2c0107003fcde6f0723fb8332c21",
                "524946463e00000057454250565038" + "4c1a0000002f2b810100075081540820000a9afec70012c2ff",
                "524946466400000057454250565038580a000000100000002b0100060000414c5048100000000107")) {
            assertSized(HexFormat.of().parseHex(hex));
        }
    }

    private static void assertSized(byte[] image) {
        assertEquals(
                "300x7",
                ImageSize.of(MemorySegment.ofArray(image)).orElseThrow().toString());
        for (int size = 0; size < image.length; size++) {
            Optional<ImageSize> cut = ImageSize.of(MemorySegment.ofArray(image).asSlice(0, size));
            assertTrue(cut.isEmpty() || cut.get().equals(new ImageSize(300, 7)), "cut to " + size);
        }
    }

    @Test
    void textIsUtf8WithoutControlCharacters() {
        assertTrue(Media.isText(MemorySegment.ofArray("Grüße, 世界\n".getBytes(StandardCharsets.UTF_8))));
        assertTrue(Media.isText(bytes("")));
        assertFalse(Media.isText(bytes("\u00ff\u00fe")));
        assertFalse(Media.isText(bytes("a\0b")));
        assertFalse(Media.isText(bytes("cut \u00e4\u00b8")));
        byte[] cut = ("x".repeat(4095) + "世".repeat(10)).getBytes(StandardCharsets.UTF_8);
        assertTrue(Media.isText(MemorySegment.ofArray(cut)), "a character across the end of what is looked at");
    }
}
