// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;

/// Arrow files, which have a magic number, and streams, which begin with the size of a schema.
public final class ArrowKind implements SourceKind {
    private static final int HEAD_SIZE = 12;
    private static final int SCHEMA_SIZE_MAX = 1 << 26;
    private static final int ROOT_MAX = 64;

    @Override
    public String description() {
        return "an Arrow file";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(ArrowMessages.MAGIC) || isStream(candidate.head());
    }

    private static boolean isStream(byte[] head) {
        if (head.length < HEAD_SIZE || (int) Dense.INT.get(head, 0) != -1) {
            return false;
        }
        int size = (int) Dense.INT.get(head, 4);
        int root = (int) Dense.INT.get(head, 8);
        return size > 0 && size <= SCHEMA_SIZE_MAX && size % 8 == 0 && root > 0 && root <= ROOT_MAX && root % 4 == 0;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return ArrowRecords.open(location, options);
    }
}
