// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The documents of a Megatron dataset: the variable field `tokens`. If documents have several sequences,
/// `tokens.sizes` has the number of tokens of each.
record MegatronRecords(
        SourceFile indexFile, SourceFile tokenFile, MegatronIndex index, List<Field> fields, SourceOptions options)
        implements RecordSource {
    static MegatronRecords open(SourceFile indexFile, SourceFile tokenFile, SourceOptions options) throws IOException {
        MegatronIndex index = MegatronIndex.read(indexFile);
        List<Field> fields = new ArrayList<>(List.of(Field.variable("tokens", index.type())));
        if (!hasOneEach(indexFile, index)) {
            fields.add(Field.variable("tokens.sizes", ElementType.I64));
        }
        return new MegatronRecords(indexFile, tokenFile, index, List.copyOf(fields), options);
    }

    /// Whether every document is one sequence.
    private static boolean hasOneEach(SourceFile file, MegatronIndex index) throws IOException {
        if (index.indexCount() - 1 != index.sequenceCount()) {
            return false;
        }
        byte[] number = new byte[Long.BYTES];
        try (ByteInput documents = file.open()) {
            documents.seek(index.documentOffset(), "the index");
            for (long i = 0; i < index.indexCount(); i++) {
                documents.read(number, "the documents");
                if (Numbers.i64(number, 0) != i) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public String name() {
        return tokenFile.location().toString();
    }

    @Override
    public String fingerprint() throws IOException {
        return SourceFile.fingerprint("megatron 1", List.of(indexFile, tokenFile));
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (Intake intake = new Intake(fields, options, receiver);
                ByteInput lengths = at(MegatronIndex.HEAD_SIZE);
                ByteInput pointers = at(index.pointerOffset());
                ByteInput documents = at(index.documentOffset());
                ByteInput tokens = tokenFile.open()) {
            try {
                Sequences sequences = new Sequences(lengths, pointers, tokens);
                read(sequences, documents, intake, progress);
                tokens.requireUnchanged();
            } catch (DatasetException.Corrupt e) {
                intake.giveUp(e);
            }
            intake.flush();
        }
    }

    private ByteInput at(long offset) throws IOException {
        ByteInput input = indexFile.open();
        input.seek(offset, "the index");
        return input;
    }

    private void read(Sequences sequences, ByteInput documents, Intake intake, Progress progress) throws IOException {
        byte[] number = new byte[Long.BYTES];
        byte[][] values = new byte[fields.size()][];
        documents.read(number, "the documents");
        long first = Numbers.i64(number, 0);
        if (first != 0) {
            throw documents.corrupt(index.documentOffset(), Reason.OUT_OF_RANGE, "the first document is not at 0");
        }
        for (long document = 0; document < index.indexCount() - 1; document++) {
            long at = documents.position();
            documents.read(number, "the documents");
            long end = Numbers.i64(number, 0);
            if (end < first || end > index.sequenceCount()) {
                throw documents.corrupt(at, Reason.UNSORTED, "the document indices do not ascend");
            }
            try {
                sequences.read(end - first, values);
                intake.add(values, indexFile.location(), at, Long.toString(document));
            } catch (BadMember e) {
                intake.leaveOut(new BadRecords.LeftOut(
                        indexFile.location(), at, e.reason(), Long.toString(document), "tokens", e.getMessage()));
            }
            first = end;
            if (intake.isProgressDue()) {
                progress.at(document, index.indexCount() - 1);
            }
        }
        if (first != index.sequenceCount()) {
            throw documents.corrupt(
                    documents.position(),
                    Reason.COUNT_MISMATCH,
                    "the last document does not end with the last sequence");
        }
    }

    /// Reads the sequences in order.
    private final class Sequences {
        private final ByteInput lengths;
        private final ByteInput pointers;
        private final ByteInput tokens;
        private final byte[] length = new byte[Integer.BYTES];
        private final byte[] pointer = new byte[Long.BYTES];

        Sequences(ByteInput lengths, ByteInput pointers, ByteInput tokens) {
            this.lengths = lengths;
            this.pointers = pointers;
            this.tokens = tokens;
        }

        /// Reads the next sequences as one document.
        void read(long count, byte[][] values) throws IOException, BadMember {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            List<Long> sizes = new ArrayList<>();
            BadMember bad = null;
            values[0] = new byte[0];
            for (long i = 0; i < count; i++) {
                lengths.read(length, "the lengths");
                pointers.read(pointer, "the pointers");
                long tokenCount = (int) Numbers.u32(length, 0);
                sizes.add(tokenCount);
                try {
                    values[0] = sequence(tokenCount, Numbers.i64(pointer, 0), all.size());
                    if (count > 1) {
                        all.writeBytes(values[0]);
                    }
                } catch (BadMember e) {
                    // The others are still read, so that the next document begins where it should.
                    bad = e;
                }
            }
            if (bad != null) {
                throw bad;
            }
            values[0] = count == 1 ? values[0] : all.toByteArray();
            if (values.length > 1) {
                values[1] = Numbers.of(sizes);
            }
        }

        private byte[] sequence(long tokenCount, long start, long before) throws IOException, BadMember {
            long size = tokenCount * index.type().size();
            boolean isInside = tokenCount >= 0 && start >= 0 && start <= tokenFile.size() - size;
            if (!isInside || size + before > ByteInput.VALUE_SIZE_MAX) {
                throw new BadMember(
                        Reason.OUT_OF_RANGE,
                        "a sequence of " + tokenCount + " tokens from byte " + start + " is not in "
                                + tokenFile.location() + ", or the document is larger than 1 GiB");
            }
            tokens.seek(start, "the tokens");
            return tokens.value(size, "the tokens");
        }
    }

    @Override
    public void close() {
        // Each pass opens the files itself.
    }
}
