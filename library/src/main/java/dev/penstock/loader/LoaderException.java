// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// A record could not be read or transformed. The cause has the reason.
public final class LoaderException extends RuntimeException {
    private final long recordIndex;
    private final long step;

    LoaderException(long recordIndex, long step, Throwable cause) {
        super("record " + recordIndex + ", in step " + step + ": " + reason(cause), cause);
        this.recordIndex = recordIndex;
        this.step = step;
    }

    /// Used when no single record is the cause.
    LoaderException(long step, Throwable cause) {
        super("step " + step + ": " + reason(cause), cause);
        this.recordIndex = -1;
        this.step = step;
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /// The index of the record, or -1 when every record of the step succeeds alone.
    public long recordIndex() {
        return recordIndex;
    }

    /// The step of the record.
    public long step() {
        return step;
    }
}
