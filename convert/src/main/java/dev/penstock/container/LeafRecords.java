// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/// The samples of the shards of MDS and of the chunks of LitData, which have one layout.
///
/// ## Layout
///
/// | size          | field   | rule                                                                        |
/// |---------------|---------|-----------------------------------------------------------------------------|
/// | 4             | count   | the number of samples, as the index says                                    |
/// | 4 (count + 1) | offsets | where each sample begins in the file, and where the last one ends; ascending |
/// | *             |         | MDS: JSON that repeats the index                                            |
/// | *             | samples | the size of each value whose size varies, with four bytes, then the values  |
record LeafRecords(String kind, List<Shard> shards, List<Column> columns, List<Field> fields, SourceOptions options)
        implements RecordSource {
    /// The size of a column that is the whole sample.
    static final long WHOLE = Long.MAX_VALUE;

    private static final int OFFSETS_AT_ONCE = 1 << 14;

    /// @param count the number of samples by the index
    record Shard(SourceFile file, long count) {}

    /// @param size the size of the value if the samples do not have it, or -1
    record Column(Leaf leaf, long size) {}

    static LeafRecords of(String kind, List<Shard> shards, List<Column> columns, SourceOptions options) {
        List<Field> fields = columns.stream()
                .flatMap(column -> column.leaf.fields().stream())
                .toList();
        return new LeafRecords(kind, shards, columns, fields, options);
    }

    private List<SourceFile> files() {
        return shards.stream().map(Shard::file).toList();
    }

    @Override
    public String name() {
        return shards.isEmpty() ? kind : shards.getFirst().file.location().parent() + "";
    }

    @Override
    public String fingerprint() throws IOException {
        return SourceFile.fingerprint(kind + " 1 " + fields, files());
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        long total = shards.stream().mapToLong(Shard::count).sum();
        long before = 0;
        try (Intake intake = new Intake(fields, options, receiver)) {
            for (Shard shard : shards) {
                long first = before;
                try (ByteInput input = shard.file.open();
                        ByteInput offsets = shard.file.open()) {
                    read(shard, input, offsets, intake, done -> progress.at(first + done, total));
                } catch (DatasetException.Corrupt e) {
                    intake.giveUp(e);
                }
                before += shard.count;
            }
            intake.flush();
        }
    }

    /// Where the samples of a shard begin and end, read some at a time.
    private static final class Offsets {
        private final ByteInput input;
        private final long count;
        private long[] some = new long[0];
        private long first;

        Offsets(ByteInput input, long count) {
            this.input = input;
            this.count = count;
        }

        long at(long index) throws IOException {
            if (index >= first + some.length) {
                first = index;
                some = new long[(int) Math.min(OFFSETS_AT_ONCE, count + 1 - index)];
                byte[] bytes = input.value(some.length * (long) Integer.BYTES, "the offsets");
                ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 0; i < some.length; i++) {
                    some[i] = Integer.toUnsignedLong(numbers.getInt(i * Integer.BYTES));
                }
            }
            return some[(int) (index - first)];
        }
    }

    private void read(Shard shard, ByteInput input, ByteInput head, Intake intake, LongConsumer done)
            throws IOException {
        long count = Numbers.u32(head.value(Integer.BYTES, "the number of samples"), 0);
        if (count != shard.count) {
            throw head.corrupt(
                    0, Reason.COUNT_MISMATCH, "it has " + count + " samples, but the index says " + shard.count);
        }
        Offsets offsets = new Offsets(head, count);
        long start = offsets.at(0);
        if (start < (count + 2) * Integer.BYTES) {
            throw head.corrupt(Integer.BYTES, Reason.OUT_OF_RANGE, "the first sample begins inside the offsets");
        }
        input.skip(start, "the header");
        byte[][] values = new byte[fields.size()][];
        for (long index = 0; index < count; index++) {
            long end = offsets.at(index + 1);
            if (end < start) {
                throw head.corrupt(
                        (index + 2) * Integer.BYTES, Reason.UNSORTED, "the offsets of the samples do not ascend");
            }
            byte[] sample = input.value(end - start, "sample " + index);
            add(
                    sample,
                    values,
                    new BadRecords.LeftOut(input.location(), start, Reason.UNREADABLE, Long.toString(index), null, ""),
                    intake);
            start = end;
            if (intake.isProgressDue()) {
                done.accept(index);
            }
        }
        input.requireUnchanged();
    }

    private void add(byte[] sample, byte[][] values, BadRecords.LeftOut at, Intake intake) throws IOException {
        try {
            parse(sample, values);
        } catch (BadMember e) {
            intake.leaveOut(
                    new BadRecords.LeftOut(at.file(), at.offset(), e.reason(), at.record(), null, e.getMessage()));
            return;
        }
        intake.add(values, at.file(), at.offset(), at.record());
    }

    private void parse(byte[] sample, byte[][] values) throws BadMember {
        long at = columns.stream().filter(column -> column.size < 0).count() * Integer.BYTES;
        int sizeAt = 0;
        int position = 0;
        for (Column column : columns) {
            if (column.size < 0 && sizeAt + Integer.BYTES > sample.length) {
                throw new BadMember(Reason.TRUNCATED, "the sample ends inside its sizes");
            }
            long stored = column.size < 0 ? Numbers.u32(sample, sizeAt) : column.size;
            long size = stored == WHOLE ? sample.length : stored;
            sizeAt += column.size < 0 ? Integer.BYTES : 0;
            if (size > sample.length - at) {
                throw new BadMember(
                        Reason.OUT_OF_RANGE,
                        "field " + column.leaf.fields().getFirst().name() + " goes beyond the sample");
            }
            byte[] content = Arrays.copyOfRange(sample, (int) at, (int) (at + size));
            column.leaf.set(content, values, position);
            position += column.leaf.fields().size();
            at += size;
        }
        if (at != sample.length) {
            throw new BadMember(Reason.TRAILING_BYTES, "the sample has bytes behind its last value");
        }
    }

    /// The content of a column in the first sample of a shard, or null if the shard has none.
    static byte[] first(Shard shard, List<Long> sizes, int column) throws IOException {
        try (ByteInput input = shard.file.open()) {
            long count = Numbers.u32(input.value(Integer.BYTES, "the number of samples"), 0);
            if (count == 0) {
                return null;
            }
            byte[] offsets = input.value(2L * Integer.BYTES, "the offsets");
            long start = Numbers.u32(offsets, 0);
            input.skip(Math.max(0, start - input.position()), "the header");
            byte[] sample = input.value(Numbers.u32(offsets, Integer.BYTES) - start, "the first sample");
            long at = sizes.stream().filter(size -> size < 0).count() * Integer.BYTES;
            int sizeAt = 0;
            for (int i = 0; at <= sample.length; i++) {
                boolean hasSize = sizes.get(i) >= 0;
                if (!hasSize && sizeAt + Integer.BYTES > sample.length) {
                    break;
                }
                long size = hasSize ? sizes.get(i) : Numbers.u32(sample, sizeAt);
                sizeAt += hasSize ? 0 : Integer.BYTES;
                if (i == column && at + size <= sample.length) {
                    return Arrays.copyOfRange(sample, (int) at, (int) (at + size));
                } else if (i == column) {
                    break;
                }
                at += size;
            }
            throw input.corrupt(start, Reason.OUT_OF_RANGE, "the first sample is shorter than its values");
        }
    }

    @Override
    public void close() {
        // Each pass opens the shards itself.
    }
}
