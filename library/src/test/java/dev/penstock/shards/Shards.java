// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Shards for tests, made byte by byte and without the writer.
final class Shards {
    private Shards() {}

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /// A header with any numbers and nothing behind it.
    static byte[] header(long rowCount, long width, int dtype, int reserved) {
        return ByteBuffer.allocate(32)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(ShardFormat.magic())
                .putLong(rowCount)
                .putLong(width)
                .putInt(dtype)
                .putInt(reserved)
                .array();
    }

    /// A shard of consecutive numbers.
    static byte[] counting(long rowCount, long width, float first) {
        ByteBuffer bytes =
                ByteBuffer.allocate((int) (32 + rowCount * width * 4)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(header(rowCount, width, 0, 0));
        for (int i = 0; i < rowCount * width; i++) {
            bytes.putFloat(first + i);
        }
        return bytes.array();
    }

    static Path write(Path file, byte[] bytes) throws IOException {
        return Files.write(file, bytes);
    }

    /// Shortens a file that may be open elsewhere.
    static void shorten(Path file, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    /// The corpora that the golden files describe by a formula.
    static void make(Json golden, Path folder) throws IOException {
        long number = 0;
        for (Json file : golden.get("files").items()) {
            long rowCount = file.get("n_rows").number();
            long width = file.get("p").number();
            ByteBuffer bytes =
                    ByteBuffer.allocate((int) (32 + rowCount * width * 4)).order(ByteOrder.LITTLE_ENDIAN);
            bytes.put(header(rowCount, width, 0, 0));
            boolean isZero = golden.get("fill").text().equals("zero");
            for (long i = 0; i < rowCount * width; i++, number++) {
                bytes.putFloat(isZero ? 0 : formula(number));
            }
            if (!sha256(bytes.array()).equals(file.get("sha256").text())) {
                throw new AssertionError(
                        "the formula gives other bytes for " + file.get("file").text());
            }
            write(folder.resolve(file.get("file").text()), bytes.array());
        }
    }

    private static float formula(long number) {
        return (((number * 2654435761L & 0xffff_ffffL) >> 8) - 8388608) / 1024f;
    }

    /// A corpus of counting rows, cut into shards of these sizes.
    static Path corpus(Path folder, long width, long... rowCounts) throws IOException {
        Files.createDirectories(folder);
        float next = 0;
        for (int i = 0; i < rowCounts.length; i++) {
            write(folder.resolve(String.format("s%05d.shard", i)), counting(rowCounts[i], width, next));
            next += rowCounts[i] * width;
        }
        return folder;
    }

    /// All numbers of a corpus.
    static double[][] read(Path path, ShardReader.Options options) throws IOException {
        try (ShardReader reader = ShardReader.open(path, options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            source.read(0, source.count(), batch);
            return batch.toDoubles();
        }
    }
}
