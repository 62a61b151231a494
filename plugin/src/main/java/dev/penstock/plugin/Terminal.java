// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Asks the operating system whether a stream is a terminal. Java only tells this for standard output, and
/// progress goes to standard error.
public final class Terminal {
    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;

    private Terminal() {}

    public static boolean isStandardOutput() {
        return isTerminal(STANDARD_OUTPUT);
    }

    public static boolean isStandardError() {
        return isTerminal(STANDARD_ERROR);
    }

    @SuppressWarnings("restricted")
    private static boolean isTerminal(int descriptor) {
        try {
            Linker linker = Linker.nativeLinker();
            MethodHandle isatty = linker.downcallHandle(
                    linker.defaultLookup().find("isatty").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            return (int) isatty.invokeExact(descriptor) == 1;
        } catch (Throwable e) {
            return false;
        }
    }
}
