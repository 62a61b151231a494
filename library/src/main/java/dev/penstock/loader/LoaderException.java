// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// A record could not be read or transformed. The cause says why.
public final class LoaderException extends RuntimeException {
    private final long recordIndex;
    private final long step;

    LoaderException(long recordIndex, long step, Throwable cause) {
        super("record " + recordIndex + ", in step " + step + ": " + reason(cause), cause);
        this.recordIndex = recordIndex;
        this.step = step;
    }

    /// When no single record is to blame.
    LoaderException(long step, Throwable cause) {
        super("step " + step + ": " + reason(cause), cause);
        this.recordIndex = -1;
        this.step = step;
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /// The record, or -1 when each of the step can be had alone.
    public long recordIndex() {
        return recordIndex;
    }

    /// The step that was to hold it.
    public long step() {
        return step;
    }
}
