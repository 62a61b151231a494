// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/// Exchanges two names in one step (`renameat2` of Linux). Java can only replace a name, and no folder that has
/// files.
final class NameExchange {
    private static final int CURRENT_FOLDER = -100;
    private static final int RENAME_EXCHANGE = 2;

    private static final Optional<MethodHandle> RENAME = Advice.function(
            "renameat2",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT));

    private NameExchange() {}

    /// @return false when the system or the file system cannot do it, or another error occurred; a plain rename
    ///         then reports that error
    static boolean exchange(Path one, Path other) throws IOException {
        if (RENAME.isEmpty()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            return (int) RENAME.get()
                            .invokeExact(
                                    CURRENT_FOLDER,
                                    DescriptionLocks.path(arena, one),
                                    CURRENT_FOLDER,
                                    DescriptionLocks.path(arena, other),
                                    RENAME_EXCHANGE)
                    == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("renameat2 declares no exception", e);
        }
    }
}
