// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.memory.Disk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/// The real disk, of which nobody waits until it has stored what was written: for a comparison with programs that
/// do not wait either.
final class UnforcedDisk {
    private UnforcedDisk() {}

    static Disk create() {
        return without(Disk.class, Disk.real(), "forceDirectory");
    }

    /// An object that does one thing not at all and everything else as another one does.
    private static <T> T without(Class<T> type, T real, String left) {
        Object proxy =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (method.getName().equals(left)) {
                        return null;
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Disk.Writable file
                                ? without(Disk.Writable.class, file, "force")
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return type.cast(proxy);
    }
}
