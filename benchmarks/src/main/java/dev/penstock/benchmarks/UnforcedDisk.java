// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Disk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/// The real disk without forcing to stable storage, for comparisons with programs that do not wait for the disk
/// either.
final class UnforcedDisk {
    private UnforcedDisk() {}

    static Disk create() {
        return without(Disk.class, Disk.real(), "forceDirectory");
    }

    /// A proxy that ignores one method and passes on all others.
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
