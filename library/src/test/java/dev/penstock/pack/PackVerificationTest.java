// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.contract.VerificationContract;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Collections;

/// A pack of many entries whose reserved bytes are not zero, with a damaged last record.
class PackVerificationTest implements VerificationContract {
    @Override
    public Verification verifyDamaged(Path folder, int warningCount, boolean hasError) throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), Collections.nCopies(warningCount, PackRecord.of("a record")));
        MemorySegment bytes = MemorySegment.ofArray(pack);
        for (int i = 0; i < warningCount; i++) {
            bytes.set(Layouts.U64, PackIndex.entryOffset(i) + PackEntry.RESERVED_OFFSET, 1);
        }
        if (hasError) {
            long last = PackEntry.read(bytes, PackIndex.entryOffset(warningCount - 1))
                    .offset();
            pack[(int) last] ^= 1;
        }
        Packs.repair(pack);
        try (PackReader reader = Packs.open(pack)) {
            return reader.verify(Progress.NONE);
        }
    }
}
