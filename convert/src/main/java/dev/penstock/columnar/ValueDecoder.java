// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import java.util.Arrays;
import org.apache.parquet.format.Encoding;

/// Reads the values of a Parquet page.
///
/// A value of a fixed size has the bytes of its physical type; a boolean is one byte.
interface ValueDecoder {
    /// Adds the next values.
    ///
    /// @throws Damage when there are fewer
    void read(int count, Dense target);

    /// Creates the decoder for the values of a page.
    ///
    /// @param bytes      the page, followed by 9 more bytes
    /// @param valueCount the number of values in it
    /// @param dictionary the values of the dictionary, or null
    static ValueDecoder of(
            Encoding encoding, ParquetLeaf leaf, byte[] bytes, int start, int limit, int valueCount, Dense dictionary) {
        boolean isWhole = leaf.isWhole();
        return switch (encoding) {
            case PLAIN ->
                leaf.isBoolean()
                        ? new Bits(bytes, start, limit)
                        : leaf.isVariable()
                                ? new PlainBytes(bytes, start, limit)
                                : new PlainFixed(bytes, start, limit, leaf.size());
            case PLAIN_DICTIONARY, RLE_DICTIONARY -> Lookup.of(leaf, bytes, start, limit, dictionary);
            case RLE -> {
                require(leaf.isBoolean(), encoding, leaf);
                Damage.require(start + Integer.BYTES <= limit, Reason.TRUNCATED, "its numbers are cut off");
                yield new Booleans(new RunDecoder(bytes, start + Integer.BYTES, limit, 1));
            }
            case DELTA_BINARY_PACKED -> {
                require(isWhole, encoding, leaf);
                yield new Deltas(new DeltaDecoder(bytes, start, limit), leaf.size());
            }
            case DELTA_LENGTH_BYTE_ARRAY -> {
                require(leaf.isVariable(), encoding, leaf);
                yield DeltaBytes.ofLengths(bytes, start, limit, valueCount);
            }
            case DELTA_BYTE_ARRAY -> {
                require(leaf.isVariable() || leaf.isFixedBytes(), encoding, leaf);
                yield DeltaBytes.ofPrefixes(bytes, start, limit, valueCount, leaf.isVariable() ? -1 : leaf.size());
            }
            case BYTE_STREAM_SPLIT -> {
                require(!leaf.isVariable() && !leaf.isBoolean(), encoding, leaf);
                yield new Split(bytes, start, limit, valueCount, leaf.size());
            }
            default -> throw new Damage(Reason.UNSUPPORTED_TYPE, "its values have the encoding " + encoding);
        };
    }

    private static void require(boolean isPossible, Encoding encoding, ParquetLeaf leaf) {
        Damage.require(isPossible, Reason.UNSUPPORTED_TYPE, leaf.type() + " cannot have the encoding " + encoding);
    }

    private static void requireInside(long end, int limit) {
        Damage.require(end <= limit, Reason.TRUNCATED, "its values are cut off");
    }

    /// Booleans as bits.
    final class Bits implements ValueDecoder {
        private final byte[] bytes;
        private final int limit;
        private long bit;

        Bits(byte[] bytes, int start, int limit) {
            this.bytes = bytes;
            this.limit = limit;
            this.bit = start * 8L;
        }

        @Override
        public void read(int count, Dense target) {
            requireInside((bit + count + 7) >>> 3, limit);
            int at = target.reserve(count);
            for (int i = 0; i < count; i++, bit++) {
                target.bytes[at + i] = (byte) (bytes[(int) (bit >>> 3)] >>> (bit & 7) & 1);
            }
            target.size += count;
            target.count += count;
        }
    }

    /// Booleans as runs.
    record Booleans(RunDecoder runs) implements ValueDecoder {
        @Override
        public void read(int count, Dense target) {
            int[] values = new int[count];
            runs.read(values, 0, count);
            int at = target.reserve(count);
            for (int i = 0; i < count; i++) {
                target.bytes[at + i] = (byte) (values[i] & 1);
            }
            target.size += count;
            target.count += count;
        }
    }

    /// Values of one size, one after another.
    final class PlainFixed implements ValueDecoder {
        private final byte[] bytes;
        private final int limit;
        private final int valueSize;
        private int position;

        PlainFixed(byte[] bytes, int start, int limit, int valueSize) {
            this.bytes = bytes;
            this.position = start;
            this.limit = limit;
            this.valueSize = valueSize;
        }

        @Override
        public void read(int count, Dense target) {
            requireInside(position + (long) count * valueSize, limit);
            target.addFixed(bytes, position, count, valueSize);
            position += count * valueSize;
        }
    }

    /// Values of any size, each behind its size.
    final class PlainBytes implements ValueDecoder {
        private final byte[] bytes;
        private final int limit;
        private int position;

        PlainBytes(byte[] bytes, int start, int limit) {
            this.bytes = bytes;
            this.position = start;
            this.limit = limit;
        }

        @Override
        public void read(int count, Dense target) {
            target.reserveOffsets(count);
            for (int i = 0; i < count; i++) {
                requireInside(position + 4L, limit);
                int length = (int) Dense.INT.get(bytes, position);
                Damage.require(length >= 0, Reason.OUT_OF_RANGE, "a value of " + length + " bytes");
                requireInside(position + 4L + length, limit);
                target.add(bytes, position + 4, length);
                position += 4 + length;
            }
        }
    }

    /// Whole numbers as differences.
    record Deltas(DeltaDecoder numbers, int valueSize) implements ValueDecoder {
        @Override
        public void read(int count, Dense target) {
            int at = target.reserve((long) count * valueSize);
            for (int i = 0; i < count; i++) {
                if (valueSize == Integer.BYTES) {
                    Dense.INT.set(target.bytes, at + i * 4, (int) numbers.next());
                } else {
                    Dense.LONG.set(target.bytes, at + i * 8, numbers.next());
                }
            }
            target.size += count * valueSize;
            target.count += count;
        }
    }

    /// Values whose first bytes, second bytes and so on are together.
    final class Split implements ValueDecoder {
        private final byte[] bytes;
        private final int start;
        private final int stride;
        private final int valueSize;
        private int index;

        Split(byte[] bytes, int start, int limit, int valueCount, int valueSize) {
            this.bytes = bytes;
            this.start = start;
            this.valueSize = valueSize;
            this.stride = valueCount;
            requireInside(start + (long) valueCount * valueSize, limit);
        }

        @Override
        public void read(int count, Dense target) {
            requireInside(index + (long) count, stride);
            int at = target.reserve((long) count * valueSize);
            for (int part = 0; part < valueSize; part++) {
                int from = start + part * stride + index;
                for (int i = 0; i < count; i++) {
                    target.bytes[at + i * valueSize + part] = bytes[from + i];
                }
            }
            index += count;
            target.size += count * valueSize;
            target.count += count;
        }
    }

    /// Values by their number in a dictionary.
    final class Lookup implements ValueDecoder {
        private final RunDecoder runs;
        private final Dense dictionary;
        private final int valueSize;
        private int[] numbers = new int[0];

        private Lookup(RunDecoder runs, Dense dictionary, int valueSize) {
            this.runs = runs;
            this.dictionary = dictionary;
            this.valueSize = valueSize;
        }

        static Lookup of(ParquetLeaf leaf, byte[] bytes, int start, int limit, Dense dictionary) {
            Damage.require(dictionary != null, Reason.BAD_HEADER, "it has numbers of a dictionary that is not there");
            Damage.require(start < limit, Reason.TRUNCATED, "its numbers are cut off");
            RunDecoder runs = new RunDecoder(bytes, start + 1, limit, bytes[start]);
            return new Lookup(runs, dictionary, leaf.isVariable() ? -1 : leaf.size());
        }

        @Override
        public void read(int count, Dense target) {
            if (numbers.length < count) {
                numbers = new int[count];
            }
            runs.read(numbers, 0, count);
            int words = dictionary.count;
            int bad = 0;
            for (int i = 0; i < count; i++) {
                bad |= numbers[i] | (words - 1 - numbers[i]);
            }
            Damage.require(
                    bad >= 0, Reason.OUT_OF_RANGE, "a number is beyond the " + words + " values of its dictionary");
            if (valueSize < 0) {
                target.reserveOffsets(count);
                for (int i = 0; i < count; i++) {
                    long start = dictionary.offsets[numbers[i]];
                    target.add(dictionary.bytes, start, (int) (dictionary.offsets[numbers[i] + 1] - start));
                }
                return;
            }
            int at = target.reserve((long) count * valueSize);
            look(count, target.bytes, at);
            target.size += count * valueSize;
            target.count += count;
        }

        private void look(int count, byte[] to, int at) {
            byte[] from = dictionary.bytes;
            if (valueSize == Integer.BYTES) {
                for (int i = 0; i < count; i++) {
                    Dense.INT.set(to, at + i * 4, (int) Dense.INT.get(from, numbers[i] * 4));
                }
            } else if (valueSize == Long.BYTES) {
                for (int i = 0; i < count; i++) {
                    Dense.LONG.set(to, at + i * 8, (long) Dense.LONG.get(from, numbers[i] * 8));
                }
            } else {
                for (int i = 0; i < count; i++) {
                    System.arraycopy(from, numbers[i] * valueSize, to, at + i * valueSize, valueSize);
                }
            }
        }
    }

    /// Bytes behind all their sizes, each perhaps with a prefix of the value before.
    final class DeltaBytes implements ValueDecoder {
        private final byte[] bytes;
        private final int limit;
        private final int[] prefixes;
        private final int[] lengths;
        private final int fixedSize;
        private int position;
        private int index;
        private byte[] before = new byte[64];
        private int beforeSize;

        private DeltaBytes(byte[] bytes, int limit, int position, int[] prefixes, int[] lengths, int fixedSize) {
            this.bytes = bytes;
            this.limit = limit;
            this.position = position;
            this.prefixes = prefixes;
            this.lengths = lengths;
            this.fixedSize = fixedSize;
        }

        static DeltaBytes ofLengths(byte[] bytes, int start, int limit, int valueCount) {
            DeltaDecoder lengths = new DeltaDecoder(bytes, start, limit);
            int[] all = all(lengths, valueCount);
            return new DeltaBytes(bytes, limit, lengths.end(), null, all, -1);
        }

        static DeltaBytes ofPrefixes(byte[] bytes, int start, int limit, int valueCount, int fixedSize) {
            DeltaDecoder prefixes = new DeltaDecoder(bytes, start, limit);
            int[] all = all(prefixes, valueCount);
            DeltaDecoder lengths = new DeltaDecoder(bytes, prefixes.end(), limit);
            int[] rest = all(lengths, valueCount);
            return new DeltaBytes(bytes, limit, lengths.end(), all, rest, fixedSize);
        }

        private static int[] all(DeltaDecoder numbers, int valueCount) {
            Damage.require(numbers.left() >= valueCount, Reason.COUNT_MISMATCH, "it has fewer sizes than values");
            int[] all = new int[valueCount];
            for (int i = 0; i < valueCount; i++) {
                long size = numbers.next();
                Damage.require(
                        size >= 0 && size <= Pages.SIZE_MAX, Reason.OUT_OF_RANGE, "a value of " + size + " bytes");
                all[i] = (int) size;
            }
            return all;
        }

        @Override
        public void read(int count, Dense target) {
            Damage.require(index + count <= lengths.length, Reason.COUNT_MISMATCH, "it has fewer values than its page");
            target.reserveOffsets(fixedSize < 0 ? count : 0);
            for (int i = 0; i < count; i++, index++) {
                int length = lengths[index];
                requireInside(position + (long) length, limit);
                if (prefixes == null) {
                    target.add(bytes, position, length);
                } else {
                    addPrefixed(target, prefixes[index], length);
                }
                position += length;
            }
        }

        private void addPrefixed(Dense target, int prefix, int length) {
            Damage.require(prefix <= beforeSize, Reason.OUT_OF_RANGE, "a prefix is longer than the value before");
            int size = Math.addExact(prefix, length);
            if (size > before.length) {
                before = Arrays.copyOf(before, Math.max(size, (int) Math.min(Pages.SIZE_MAX, before.length * 2L)));
            }
            System.arraycopy(bytes, position, before, prefix, length);
            beforeSize = size;
            if (fixedSize < 0) {
                target.add(before, 0, size);
                return;
            }
            Damage.require(size == fixedSize, Reason.WIDTH_MISMATCH, "a value has " + size + " bytes");
            target.addFixed(before, 0, 1, size);
        }
    }
}
