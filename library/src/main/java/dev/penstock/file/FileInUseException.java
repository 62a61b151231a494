// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/// Another writer is changing the dataset. The same call succeeds once that writer has finished.
public final class FileInUseException extends FileSystemException {
    private final String holder;

    FileInUseException(Path dataset, String holder) {
        super(dataset.toString(), null, "it is being written by " + holder + "; wait until that writer has finished");
        this.holder = holder;
    }

    /// The process that writes, as it calls itself.
    public String holder() {
        return holder;
    }
}
