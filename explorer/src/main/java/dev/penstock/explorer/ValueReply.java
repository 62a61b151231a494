// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import com.sun.net.httpserver.Headers;
import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The bytes of one value, or a range of them, unchanged.
///
/// Pictures and sounds have their type; everything else is a file to save, so that nothing in a record is ever
/// shown as a page.
final class ValueReply {
    private static final int PIECE_SIZE = 1 << 16;
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,18})-(\\d{0,18})");

    /// Large values are read one at a time, which bounds the memory of all requests together.
    private static final long LARGE_SIZE = 4 << 20;

    private final Semaphore large = new Semaphore(1);
    private final Shelf shelf;
    private final Workers workers;

    ValueReply(Shelf shelf, Workers workers) {
        this.shelf = shelf;
        this.workers = workers;
    }

    void send(Query query, Reply reply) throws IOException {
        shelf.with(query.text("dataset"), dataset -> {
            long index = RecordReader.requireIndex(dataset, query.number("index", 0, Long.MIN_VALUE, Long.MAX_VALUE));
            Field field = RecordReader.field(dataset, query.text("field"));
            long size = RecordReader.size(dataset, field, index);
            if (size > RecordReader.VALUE_SIZE_MAX) {
                throw new IllegalArgumentException("the value has " + size + " bytes, more than the "
                        + RecordReader.VALUE_SIZE_MAX + " that the explorer opens; penstock get writes it to a file");
            }
            boolean isLarge = size > LARGE_SIZE;
            if (isLarge) {
                large.acquireUninterruptibly();
            }
            try (Batch batch = Batch.create(List.of(field))) {
                workers.read(() -> {
                    dataset.gather(new long[] {index}, batch);
                    return true;
                });
                if (batch.column(0).isMissing(0)) {
                    throw new IllegalArgumentException("record " + index + " has no value of " + field.name());
                }
                send(query, reply, dataset, field, batch.column(0).value(0));
            } finally {
                if (isLarge) {
                    large.release();
                }
            }
            return null;
        });
    }

    private static void send(Query query, Reply reply, Dataset dataset, Field field, MemorySegment value)
            throws IOException {
        String media = RecordReader.mediaType(field, value);
        reply.begin(media == null ? "application/octet-stream" : media);
        Headers headers = reply.exchange().getResponseHeaders();
        headers.set("Content-Security-Policy", "default-src 'none'; sandbox");
        headers.set("Accept-Ranges", "bytes");
        if (media == null) {
            headers.set("Content-Disposition", "attachment; filename=value.bin");
        }
        long size = value.byteSize();
        String header = reply.exchange().getRequestHeaders().getFirst("Range");
        Matcher range = header == null ? null : RANGE.matcher(header);
        boolean isRange = range != null && range.matches() && Long.parseLong(range.group(1)) < size;
        long start = isRange ? Long.parseLong(range.group(1)) : query.number("offset", 0, 0, size);
        long limit = isRange && !range.group(2).isEmpty()
                ? Math.min(size, Long.parseLong(range.group(2)) + 1)
                : Math.min(size, start + (isRange ? size : query.number("size", size, 0, Long.MAX_VALUE / 2)));
        if (isRange) {
            headers.set("Content-Range", "bytes " + start + "-" + (limit - 1) + "/" + size);
        }
        headers.set("X-Value-Size", Long.toString(size));
        boolean isEmpty = limit <= start || reply.exchange().getRequestMethod().equals("HEAD");
        reply.exchange().sendResponseHeaders(isRange ? 206 : 200, isEmpty ? -1 : limit - start);
        if (!isEmpty) {
            write(value.asSlice(start, limit - start), reply.exchange().getResponseBody());
        }
    }

    private static void write(MemorySegment value, OutputStream out) throws IOException {
        byte[] piece = new byte[(int) Math.min(PIECE_SIZE, value.byteSize())];
        for (long done = 0; done < value.byteSize(); done += piece.length) {
            int size = (int) Math.min(piece.length, value.byteSize() - done);
            MemorySegment.copy(value, ValueLayout.JAVA_BYTE, done, piece, 0, size);
            out.write(piece, 0, size);
        }
    }
}
