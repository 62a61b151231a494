// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.Constructor;
import java.util.concurrent.Callable;

/// A copy of the project's classes in which one method is wrong: it does nothing, or always gives the same answer.
/// A harness that runs in this copy has to notice it.
///
/// So the code under test needs no switch for its checks.
public final class PlantedBug extends ClassLoader {
    private static final String PROJECT = "dev.penstock.";

    private final String owner;
    private final String method;
    private final boolean answer;
    private int changedCount;

    private PlantedBug(String owner, String method, boolean answer) {
        super(PlantedBug.class.getClassLoader());
        this.owner = owner;
        this.method = method;
        this.answer = answer;
    }

    /// A bug: a method without a result does nothing.
    public static PlantedBug without(Class<?> owner, String method) {
        return new PlantedBug(owner.getName(), method, false);
    }

    /// The same in a private class inside another one.
    public static PlantedBug without(Class<?> outer, String owner, String method) {
        return new PlantedBug(outer.getName() + "$" + owner, method, false);
    }

    /// A bug: a method with a boolean result does nothing else than give this answer.
    public static PlantedBug answering(Class<?> owner, String method, boolean answer) {
        return new PlantedBug(owner.getName(), method, answer);
    }

    /// Runs a harness in the copy.
    ///
    /// @param harness a class with a constructor without arguments; its result must be of a type of the runtime
    public <T> T call(Class<? extends Callable<T>> harness) throws Exception {
        Constructor<?> constructor = loadClass(harness.getName()).getDeclaredConstructor();
        constructor.setAccessible(true);
        @SuppressWarnings("unchecked")
        T result = ((Callable<T>) constructor.newInstance()).call();
        loadClass(owner);
        if (changedCount != 1) {
            throw new IllegalArgumentException(owner + " has " + changedCount + " methods called " + method);
        }
        return result;
    }

    /// Runs the main method of a program in the copy.
    public void main(Class<?> program, String... arguments) throws ReflectiveOperationException {
        loadClass(program.getName()).getMethod("main", String[].class).invoke(null, (Object) arguments);
    }

    @Override
    protected Class<?> loadClass(String name, boolean isResolved) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT)) {
            return super.loadClass(name, isResolved);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? findClass(name) : known;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            byte[] changed = name.equals(owner) ? changed(bytes) : bytes;
            return defineClass(name, changed, 0, changed.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] changed(byte[] bytes) {
        ClassFile file = ClassFile.of();
        return file.transformClass(file.parse(bytes), (builder, element) -> {
            if (element instanceof MethodModel model && model.methodName().equalsString(method)) {
                changedCount++;
                builder.withMethodBody(
                        model.methodName(), model.methodType(), model.flags().flagsMask(), code -> write(model, code));
            } else {
                builder.with(element);
            }
        });
    }

    private void write(MethodModel model, CodeBuilder code) {
        ClassDesc type = model.methodTypeSymbol().returnType();
        if (type.equals(ConstantDescs.CD_void)) {
            code.return_();
        } else if (type.equals(ConstantDescs.CD_boolean)) {
            code.loadConstant(answer ? 1 : 0).ireturn();
        } else {
            throw new IllegalArgumentException(owner + "." + method + " has a result of another type");
        }
    }
}
