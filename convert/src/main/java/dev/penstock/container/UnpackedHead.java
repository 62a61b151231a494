// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.catalog.Candidate;
import java.io.IOException;
import java.util.Arrays;

/// The first bytes of a file, unpacked if it is compressed, to recognise it.
final class UnpackedHead {
    private UnpackedHead() {}

    static byte[] of(Candidate candidate) throws IOException {
        if (!ByteInput.isPacked(candidate.head())) {
            return candidate.head();
        }
        try (ByteInput input =
                SourceFile.of(candidate.location(), candidate.options()).open()) {
            byte[] head = new byte[Candidate.HEAD_SIZE];
            return Arrays.copyOf(head, input.readSome(head, 0, head.length));
        } catch (DatasetException e) {
            // What cannot be unpacked is of no kind.
            return new byte[0];
        }
    }
}
