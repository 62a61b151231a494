// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Json;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Records that a program writes to a pipe while they are read, such as the Python package for data that
/// packages of Python read.
///
/// ## Layout
///
/// The stream begins with the line `PENSTOCK RECORDS 1`. Messages follow: the size of a JSON object as a 32-bit
/// little-endian number, then the object, and after the object of a batch the memory of its columns.
///
/// | message | keys                                                                            |
/// |---------|---------------------------------------------------------------------------------|
/// | head    | `name`, `fingerprint`, `count` (-1 if not known), `fields`                      |
/// | batch   | `rows`, `columns`: for each field the sizes of values, offsets and mask         |
/// | end     | `end`: the number of records                                                    |
/// | failure | `failure`: `caller`, `data` or `disk`, and `message`                            |
///
/// Columns are laid out as those of a [Batch]. A field has the keys `name`, `type`, `elementSize`, `shape` and
/// `variable`.
///
/// A stream that ends before its last message is a failure of the program. Every count, size and offset is
/// checked, so that a program with a mistake cannot do harm.
///
/// **Threads.** One thread at a time.
public final class StreamedRecords implements RecordSource {
    static final byte[] MAGIC = "PENSTOCK RECORDS 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PIECE_SIZE = 1 << 30;
    private static final long ROW_COUNT_MAX = 1L << 31;

    /// Opens a stream from its beginning.
    public interface Program {
        /// Starts to read.
        ///
        /// @throws IllegalStateException when the stream can be read only once
        InputStream start() throws IOException;

        /// Why the stream has ended too early, as far as that is known; otherwise an empty text.
        String explanation() throws IOException;

        /// Releases the program.
        void stop() throws IOException;
    }

    private final Location location;
    private final Program program;
    private InputStream stream;
    private ReadableByteChannel channel;
    private String name;
    private String fingerprint;
    private long recordCount;
    private List<Field> fields;
    private boolean isConsumed;

    private StreamedRecords(Location location, Program program) {
        this.location = location;
        this.program = program;
    }

    /// Opens a stream and reads its head. The program is stopped when the result is closed, or if this fails.
    ///
    /// @param location what the program reads, for messages
    public static StreamedRecords open(Location location, Program program) throws IOException {
        StreamedRecords records = new StreamedRecords(location, program);
        try {
            records.start();
            return records;
        } catch (Throwable e) {
            try {
                records.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private void start() throws IOException {
        stream = program.start();
        channel = Channels.newChannel(stream);
        byte[] magic = new byte[MAGIC.length];
        read(MemorySegment.ofArray(magic));
        if (!Arrays.equals(magic, MAGIC)) {
            throw new IOException("the program that reads " + location + " wrote something else than records: "
                    + Printable.of(new String(magic, StandardCharsets.ISO_8859_1)));
        }
        JsonObject head = message();
        name = head.text("name");
        fingerprint = head.text("fingerprint");
        recordCount = head.whole("count");
        List<Field> found = new ArrayList<>();
        for (JsonObject field : head.objects("fields")) {
            found.add(field(field));
        }
        fields = List.copyOf(found);
    }

    private static Field field(JsonObject one) {
        return new Field(
                one.text("name"),
                ElementType.valueOf(one.text("type").toUpperCase(Locale.ROOT)),
                one.whole("elementSize"),
                one.wholes("shape"),
                Boolean.TRUE.equals(one.values().get("variable")));
    }

    /// Reads a message, and throws the failure that it may be.
    private JsonObject message() throws IOException {
        ByteBuffer size = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        read(MemorySegment.ofBuffer(size));
        int bytes = size.getInt(0);
        if (bytes < 2 || bytes > Json.SIZE_MAX) {
            throw new IOException("the program that reads " + location + " sent a message of " + bytes + " bytes");
        }
        byte[] text = new byte[bytes];
        read(MemorySegment.ofArray(text));
        if (!(Json.parse(text) instanceof Map<?, ?> values)) {
            throw new IOException("the program that reads " + location + " sent a message that is no object");
        }
        if (values.get("failure") instanceof String kind) {
            throw failure(kind, String.valueOf(values.get("message")));
        }
        return new JsonObject(values);
    }

    private IOException failure(String kind, String message) {
        return switch (kind) {
            case "caller" -> throw new IllegalArgumentException(message);
            case "data" -> throw new DatasetException.Corrupt(location, 0, Reason.UNREADABLE, message);
            case "ended" -> throw new IllegalStateException(message);
            default -> new IOException(message);
        };
    }

    /// Fills memory from the stream.
    private void read(MemorySegment target) throws IOException {
        for (long done = 0; done < target.byteSize(); ) {
            ByteBuffer piece = target.asSlice(done, Math.min(PIECE_SIZE, target.byteSize() - done))
                    .asByteBuffer();
            int count = channel.read(piece);
            if (count < 0) {
                String why = program.explanation();
                throw new EOFException("the program that reads " + location + " has ended too early"
                        + (why.isEmpty() ? "" : ": " + why));
            }
            done += count;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public String fingerprint() {
        return fingerprint;
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        if (isConsumed) {
            restart();
        }
        isConsumed = true;
        long count = 0;
        try (Batch batch = Batch.create(fields)) {
            for (JsonObject message = message(); !message.values().containsKey("end"); message = message()) {
                long rowCount = message.whole("rows");
                require(rowCount >= 0 && rowCount <= ROW_COUNT_MAX, "a batch of " + rowCount + " rows");
                fill(batch, rowCount, message);
                count += rowCount;
                if (rowCount > 0) {
                    receiver.accept(null, batch);
                    progress.at(count, Math.max(count, recordCount));
                }
            }
        }
    }

    /// Starts the program again, which must give the same records.
    private void restart() throws IOException {
        List<Field> before = fields;
        String fingerprintBefore = fingerprint;
        stream.close();
        start();
        if (!before.equals(fields) || !fingerprintBefore.equals(fingerprint)) {
            throw new IOException(location + " has changed while it was read; start again");
        }
    }

    private void require(boolean isValid, String what) throws IOException {
        if (!isValid) {
            throw new IOException("the program that reads " + location + " sent " + what);
        }
    }

    private void fill(Batch batch, long rowCount, JsonObject message) throws IOException {
        Object sizes = message.values().get("columns");
        require(sizes instanceof List<?> list && list.size() == fields.size(), "the wrong number of columns");
        batch.clear();
        for (int i = 0; i < fields.size(); i++) {
            Object of = ((List<?>) sizes).get(i);
            require(
                    of instanceof List<?> three
                            && three.size() == 3
                            && three.stream().allMatch(one -> one instanceof Long size && size >= 0),
                    "the sizes " + of + " of a column");
            List<?> three = (List<?>) of;
            fill(batch.column(i), rowCount, (Long) three.get(0), (Long) three.get(1), (Long) three.get(2));
        }
        batch.complete(rowCount);
    }

    private void fill(Column column, long rowCount, long valueBytes, long offsetBytes, long maskBytes)
            throws IOException {
        Field field = column.field();
        long expected = field.isVariable() ? (rowCount + 1) * Long.BYTES : 0;
        boolean isSized = field.isVariable() || valueBytes == Math.multiplyExact(rowCount, field.itemSize());
        require(isSized && offsetBytes == expected, valueBytes + " bytes of " + field);
        require(maskBytes == 0 || maskBytes == rowCount, "a mask of " + maskBytes + " bytes");
        read(column.reserveValues(valueBytes).asSlice(0, valueBytes));
        if (field.isVariable()) {
            MemorySegment offsets = column.reserveOffsets(rowCount).asSlice(0, offsetBytes);
            read(offsets);
            requireAscending(offsets, rowCount, valueBytes, field);
        }
        if (maskBytes > 0) {
            read(column.reserveMissing(rowCount).asSlice(0, maskBytes));
        }
    }

    private void requireAscending(MemorySegment offsets, long rowCount, long valueBytes, Field field)
            throws IOException {
        long before = 0;
        boolean isValid = offsets.get(ValueLayout.JAVA_LONG, 0) == 0;
        for (long row = 1; row <= rowCount && isValid; row++) {
            long offset = offsets.getAtIndex(ValueLayout.JAVA_LONG, row);
            isValid = offset >= before && offset % field.itemSize() == 0;
            before = offset;
        }
        require(isValid && before == valueBytes, "invalid offsets of " + field);
    }

    @Override
    public void close() throws IOException {
        try {
            if (stream != null) {
                stream.close();
            }
        } finally {
            program.stop();
        }
    }
}
