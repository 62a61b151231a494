// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// The index of a Megatron dataset.
///
/// ## Layout
///
/// | offset     | size  | field     | rule                                                                |
/// |------------|-------|-----------|---------------------------------------------------------------------|
/// | 0          | 9     | magic     | `MMIDIDX` and two zero bytes                                        |
/// | 9          | 8     | version   | 1                                                                   |
/// | 17         | 1     | type      | 1 `uint8`, 2 `int8`, 3 `int16`, 4 `int32`, 5 `int64`, 6 `float64`, 7 `float32`, 8
/// `uint16` |
/// | 18         | 8     | sequences | the number of sequences                                             |
/// | 26         | 8     | documents | the number of the document indices, one more than there are documents |
/// | 34         | 4 each | lengths  | the number of tokens of each sequence                               |
/// | *          | 8 each | pointers | where each sequence begins in the tokens, in bytes                  |
/// | *          | 8 each | indices  | the first sequence of each document, and the number of sequences    |
///
/// @param sequenceCount the number of sequences
/// @param indexCount    the number of document indices
record MegatronIndex(ElementType type, long sequenceCount, long indexCount) {
    static final int HEAD_SIZE = 34;

    private static final byte[] MAGIC = {'M', 'M', 'I', 'D', 'I', 'D', 'X', 0, 0};
    private static final List<ElementType> TYPES = List.of(
            ElementType.U8,
            ElementType.I8,
            ElementType.I16,
            ElementType.I32,
            ElementType.I64,
            ElementType.F64,
            ElementType.F32,
            ElementType.U16);

    static boolean isIndex(byte[] head) {
        return head.length >= MAGIC.length && Arrays.equals(head, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    static MegatronIndex read(SourceFile file) throws IOException {
        try (ByteInput input = file.open()) {
            byte[] head = input.value(HEAD_SIZE, "the header");
            if (!isIndex(head)) {
                throw new DatasetException.WrongFormat(file.location(), "not an index of Megatron: bad magic");
            }
            long version = Numbers.i64(head, 9);
            if (version != 1) {
                throw new DatasetException.UnsupportedVersion(
                        file.location(), 9, Reason.UNSUPPORTED_VERSION, "version " + version + " is not supported");
            }
            int type = head[17];
            if (type < 1 || type > TYPES.size()) {
                throw input.corrupt(17, Reason.BAD_DTYPE, "the type " + type + " of tokens is not known");
            }
            MegatronIndex index = new MegatronIndex(TYPES.get(type - 1), Numbers.i64(head, 18), Numbers.i64(head, 26));
            index.requireSize(file, input);
            return index;
        }
    }

    private void requireSize(SourceFile file, ByteInput input) {
        long most = file.size() / Integer.BYTES;
        if (sequenceCount < 0 || sequenceCount > most || indexCount < 1 || indexCount > most) {
            throw input.corrupt(18, Reason.OUT_OF_RANGE, "it announces more sequences or documents than it can hold");
        }
        long size = documentOffset() + indexCount * Long.BYTES;
        if (file.size() == size + sequenceCount && sequenceCount > 0) {
            throw new DatasetException.UnsupportedVersion(
                    file.location(),
                    size,
                    Reason.UNSUPPORTED_VERSION,
                    "its sequences have modes, of several kinds of data, which is not supported");
        }
        if (file.size() != size) {
            throw input.corrupt(
                    Math.min(size, file.size()),
                    file.size() < size ? Reason.TRUNCATED : Reason.TRAILING_BYTES,
                    "it has " + file.size() + " bytes instead of " + size);
        }
    }

    long pointerOffset() {
        return HEAD_SIZE + sequenceCount * Integer.BYTES;
    }

    long documentOffset() {
        return pointerOffset() + sequenceCount * Long.BYTES;
    }
}
